// What HTML and htmx cannot do: the theme, the dialog, the clipboard, the plots.
"use strict";

const dark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};

const copy = async (area) => {
  try {
    await navigator.clipboard.writeText(area.value);
    return true;
  } catch (error) {
    area.focus();
    area.select();
    return false;
  }
};

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.id === "theme") {
    const theme = dark() ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    try { localStorage.setItem("tdd-theme", theme); } catch (error) { /* only for this page then */ }
    drawPlots(true);
  }
  if (button.dataset.closes) document.getElementById(button.dataset.closes).close();
  if (button.dataset.copies) {
    const done = await copy(document.getElementById(button.dataset.copies));
    document.getElementById("copied").textContent =
      done ? "Copied. Paste it into your agent." : "The browser does not allow it; the prompt is selected: press Ctrl+C.";
  }
});

document.addEventListener("htmx:config:request", (event) => {
  event.detail.ctx.request.headers["X-CSRF-Token"] = document.body.dataset.csrf;
});

document.addEventListener("htmx:after:swap", (event) => {
  const body = document.getElementById("dialog-body");
  const dialog = document.getElementById("dialog");
  if (body && body.childElementCount && event.target.dataset && event.target.dataset.opens && !dialog.open) dialog.showModal();
  drawPlots(false);
});

for (const [name, lost] of [["htmx:sse:error", true], ["htmx:sse:after:connection", false]])
  document.addEventListener(name, () => { document.getElementById("lost").hidden = !lost; });

document.addEventListener("submit", (event) => {
  if (event.target.dataset.resets !== undefined) setTimeout(() => event.target.reset(), 300);
});

const colour = (name) => {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
};

const drawPlots = (again) => {
  if (typeof uPlot === "undefined") return;
  for (const place of document.querySelectorAll(".plot[data-points]")) {
    if (place.firstChild && !again && place.dataset.width === String(place.clientWidth)) continue;
    place.replaceChildren();
    place.dataset.width = place.clientWidth;
    const points = JSON.parse(place.dataset.points);
    const axis = { stroke: colour("--muted"), grid: { stroke: colour("--border"), width: 1 }, ticks: { stroke: colour("--border") } };
    new uPlot({
      width: Math.max(240, place.clientWidth), height: 190, padding: [null, 40, null, null], legend: { show: false }, cursor: { y: false },
      scales: { y: { range: (plot, low, high) => [Math.min(0, low), high || 1] } },
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
      axes: [{ ...axis, space: 90, values: (plot, splits) => splits.map((at) => new Date(at * 1000).toISOString().slice(0, 10)) }, axis],
      series: [{}, { label: place.dataset.title, stroke: colour("--accent"), width: 2, points: { show: true, size: 5, fill: colour("--accent") } }],
    }, [points.map((point) => point[0]), points.map((point) => point[1])], place);
  }
};

let waiting;
addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(() => drawPlots(false), 150); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawPlots(true));
drawPlots(false);
