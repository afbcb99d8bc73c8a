// What is too long is not cut off where it is pasted: it stays as it is, and says so where it is sent.

document.addEventListener("input", (event) => {
  const field = /** @type {HTMLInputElement | HTMLTextAreaElement} */ (event.target);
  const most = Number(field.dataset.most);
  if (!most) return;
  const { length } = [...field.value];
  const [has, allowed] = [length, most].map((count) => count.toLocaleString("en"));
  field.setCustomValidity(length > most ? `This has ${has} characters; ${allowed} are allowed.` : "");
});
