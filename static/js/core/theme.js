// A classic script in the head: it runs before the first paint, so that no page flashes in the other theme, or with
// panels that are folded away.
// A choice is kept only while it differs from the system's, so that the page follows the system again.
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
      // The choice then holds for this page alone.
    }
  }

  root.dataset.folded = kept("folded") ?? ""; // the panels that are folded away: panel-folding.js
  const show = () => (root.dataset.theme = kept() ?? systemTheme());

  show();
  system.addEventListener("change", show);
  addEventListener("storage", (event) => event.key === "theme" && show());
  const choose = (theme) => keep((root.dataset.theme = theme));
  addEventListener("baton:theme", ({ detail }) => choose(detail || systemTheme()));
  addEventListener("click", (event) => {
    if (event.target.closest?.("[data-theme-switch]")) choose(root.dataset.theme === "dark" ? "light" : "dark");
  });
})();
