// Long input is not cut off when it is pasted: the field keeps it, and reports its length when the form is sent. An
// element with data-count-of shows the length at any time.

document.addEventListener("input", (event) => {
  const field = /** @type {HTMLInputElement | HTMLTextAreaElement} */ (event.target);
  const most = Number(field.dataset.most);
  if (!most) return;
  const { length } = [...field.value];
  const [has, allowed] = [length, most].map((count) => count.toLocaleString("en"));
  field.setCustomValidity(length > most ? `This has ${has} characters; ${allowed} are allowed.` : "");
  for (const output of document.querySelectorAll(`[data-count-of="${CSS.escape(field.id)}"]`))
    output.textContent = `${has} of ${allowed} characters`;
});
