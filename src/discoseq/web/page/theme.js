/* Light or dark: the system decides until the toggle is used, whose choice is kept in the browser. */
"use strict";
(() => {
  const KEY = "discoseq-theme";
  const system = matchMedia("(prefers-color-scheme: dark)");

  function stored() {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // storage may be forbidden
    }
  }

  function store(theme) {
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // the choice then lasts as long as the page
    }
  }

  function isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : system.matches;
  }

  const chosen = stored();
  if (chosen === "dark" || chosen === "light") {
    document.documentElement.dataset.theme = chosen;
  }

  document.addEventListener("DOMContentLoaded", () => {
    const toggle = document.getElementById("theme-toggle");
    const show = () => toggle.setAttribute("aria-pressed", String(isDark()));
    toggle.addEventListener("click", () => {
      const theme = isDark() ? "light" : "dark";
      document.documentElement.dataset.theme = theme;
      store(theme);
      show();
    });
    system.addEventListener("change", show);
    show();
  });
})();
