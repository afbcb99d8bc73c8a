// Imports a file that is dropped anywhere on the list of pipelines: a pipeline, or a trace.
import { notify } from "../core/notice.js";

const MAX_BYTES = 2 * 1024 * 1024; // of a pipeline; the server checks the size too

/**
 * The name and size of a file.
 * @typedef {{name: string, size: number}} FileInfo
 */

/**
 * Return the dialog that imports the dropped files, or a sentence why they cannot be imported.
 * @param {FileInfo[]} files
 * @returns {{dialog?: "import-dialog" | "trace-dialog", refusal?: string}}
 */
export function destination(files) {
  const [file] = files;
  if (!file) return { refusal: "This is not a file: drop a pipeline (.json, .yaml, .py) or a trace (.jsonl)." };
  if (files.length > 1) return { refusal: `${files.length} files were dropped: drop one at a time.` };
  if (/\.(jsonl|ndjson)$/i.test(file.name)) return { dialog: "trace-dialog" };
  if (!/\.(json|ya?ml|py)$/i.test(file.name))
    return { refusal: `“${file.name}” cannot be imported: drop a pipeline (.json, .yaml, .py) or a trace (.jsonl).` };
  if (file.size > MAX_BYTES) return { refusal: `“${file.name}” is larger than 2 MiB, so it cannot be imported.` };
  return { dialog: "import-dialog" };
}

/** @param {DragEvent} event */
const hasFiles = (event) => Boolean(event.dataTransfer?.types.includes("Files"));

/** Connect the hint with the page. @param {HTMLElement} hint */
function start(hint) {
  const [invitation, progress] = /** @type {HTMLElement[]} */ ([...hint.children]);

  /** @param {"invitation" | "progress" | ""} part */
  const show = (part) => {
    hint.hidden = !part;
    invitation.hidden = part !== "invitation";
    progress.hidden = part !== "progress";
  };

  /** @param {FileList} files */
  const send = (files) => {
    const { dialog, refusal } = destination([...files]);
    const form = dialog && /** @type {HTMLFormElement | null} */ (document.querySelector(`#${dialog} form`));
    const input = /** @type {HTMLInputElement | null | undefined} */ (form?.querySelector("[type=file]"));
    if (!form || !input) return notify(refusal ?? "The file cannot be imported here.");
    input.files = files;
    const name = document.getElementById("drop-file");
    if (name) name.textContent = files[0].name;
    show("progress");
    form.requestSubmit();
  };

  document.addEventListener("dragenter", (event) => hasFiles(event) && show("invitation"));
  document.addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault());
  document.addEventListener("dragleave", (event) => event.relatedTarget || show(""));
  document.addEventListener("drop", (event) => {
    if (!hasFiles(event) || !event.dataTransfer) return;
    event.preventDefault();
    show("");
    send(event.dataTransfer.files);
  });
  addEventListener("pageshow", () => show("")); // also when the browser returns to this page
}

const hint = document.getElementById("drop-hint");
if (hint) start(hint);
