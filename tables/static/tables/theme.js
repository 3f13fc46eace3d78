// Dark unless this device has chosen light. Loaded before the first paint, so that no page flashes.
(() => {
  const kept = localStorage.getItem("theme");
  document.documentElement.dataset.theme = kept === "light" ? "light" : "dark";
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-theme-switch]");
    if (!button) return;
    const next = document.documentElement.dataset.theme === "light" ? "dark" : "light";
    document.documentElement.dataset.theme = next;
    localStorage.setItem("theme", next);
  });
})();
