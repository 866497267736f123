// Before anything is drawn: the theme that the person chose here, else the system's.
"use strict";
try {
  const chosen = localStorage.getItem("tdd-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch (error) { /* no storage: the system's theme */ }
