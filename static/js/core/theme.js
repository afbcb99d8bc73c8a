// Sets the theme and the folded panels before the first paint; a classic script in the head. A chosen theme is stored
// only while it differs from the theme of the system, so that the page otherwise follows the system. Django's admin
// uses the same key, and stores "auto" too.
(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const systemTheme = () => (system.matches ? "dark" : "light");

  /** @returns {string | null} */
  function kept(name = "theme") {
    try {
      return localStorage.getItem(name);
    } catch {
      return null; // storage is switched off
    }
  }

  function keep(theme) {
    try {
      if (theme === systemTheme()) localStorage.removeItem("theme");
      else localStorage.setItem("theme", theme);
    } catch {
      // Without storage the choice holds for this page only.
    }
  }

  root.dataset.folded = kept("folded") ?? ""; // the folded panels: see panel-folding.js
  const show = () => (root.dataset.theme = kept()?.match(/^dark$|^light$/)?.[0] ?? systemTheme());

  show();
  system.addEventListener("change", show);
  addEventListener("storage", (event) => event.key === "theme" && show());
  const choose = (theme) => keep((root.dataset.theme = theme));
  addEventListener("baton:theme", ({ detail }) => choose(detail || systemTheme()));
  addEventListener("click", (event) => {
    if (event.target.closest?.("[data-theme-switch]")) choose(root.dataset.theme === "dark" ? "light" : "dark");
  });
})();
