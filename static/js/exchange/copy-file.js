// The exported files: copies one, whose address is that of the link, and keeps the chosen format and file in view.
import { announce } from "../core/notice.js";

document.addEventListener("click", async (event) => {
  const link = /** @type {Element} */ (event.target).closest("a[data-copy-file]");
  if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  try {
    const response = await fetch(link.href);
    if (!response.ok) throw new Error(response.statusText);
    await navigator.clipboard.writeText(await response.text());
    link.dataset.copyFile = "done";
    announce("The file is copied.");
  } catch {
    link.dataset.copyFile = "failed"; // beside the link: a notice would be behind the dialog
    announce("The file was not copied: download it.");
  }
});

const CHOSEN = ":is(.export__formats, .export__files) [aria-current]";

const showTabs = () =>
  document.querySelectorAll(CHOSEN).forEach((tab) => tab.scrollIntoView({ block: "nearest", inline: "nearest" }));
document.addEventListener("htmx:afterSwap", showTabs);
showTabs();
