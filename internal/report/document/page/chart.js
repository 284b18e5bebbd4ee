"use strict";
// Charts are drawn from the values of a figure: series are chosen, axes are linear or logarithmic, and
// each mark has its value. They take the place of the drawing while "explore" is pressed. uPlot and
// libraries like it draw on a canvas, whose marks have neither a focus nor a text for screen readers,
// and are larger than this file.
const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#7f7f7f"];
const chartWidth = 860, chartHeight = 300, left = 78, right = 12, above = 10, below = 34;

// parse reads CSV with a header into objects.
const parse = (text) => {
  const rows = text.trim().split("\n").map((line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)]
    .map((m) => m[1].startsWith('"') ? m[1].slice(1, -1).replaceAll('""', '"') : m[1]));
  return rows.slice(1).map((row) => Object.fromEntries(rows[0].map((name, i) => [name, row[i]])));
};

// known reports whether a number is: of others the CSV says nan.
const known = (v) => v !== "nan";

const element = (name, attributes, parent, text) => {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  if (text !== undefined) e.textContent = text;
  if (parent) parent.append(e);
  return e;
};

// short formats a number with an SI prefix.
const short = (v) => {
  for (const [factor, prefix] of [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "\u00b5"], [1e-9, "n"]]) {
    if (Math.abs(v) >= factor) return Number((v / factor).toPrecision(3)) + prefix;
  }
  return "0";
};

// axis returns the place of a value between from and to, and the marks of the axis.
const axis = (values, log, from, to) => {
  let low = Math.min(...values), high = Math.max(...values);
  const marks = [];
  if (log) {
    low = Math.floor(Math.log10(low)); high = Math.ceil(Math.log10(high) + 1e-9);
    const step = Math.max(1, Math.ceil((high - low) / 8));
    for (let e = low; e <= high; e += step) marks.push(10 ** e);
    return { at: (v) => from + (to - from) * (Math.log10(v) - low) / (high - low || 1), marks };
  }
  low = Math.min(0, low);
  const raw = (high - low || 1) / 5, size = 10 ** Math.floor(Math.log10(raw));
  const step = size * [1, 2, 5, 10].find((m) => m * size >= raw);
  for (let v = low; v <= high + step / 2; v += step) marks.push(v);
  high = Math.max(high, marks[marks.length - 1]);
  return { at: (v) => from + (to - from) * (v - low) / (high - low), marks };
};

// panel draws one metric of the chosen series.
const panel = (rows, names, choice) => {
  const svg = element("svg", { viewBox: `0 0 ${chartWidth} ${chartHeight}`, role: "img", "aria-label": rows[0].metric });
  const usable = rows.filter((r) => choice.series.has(r.series) && known(r.median) && !(choice.x && Number(r.x) <= 0) && !(choice.y && Number(r.median) <= 0));
  element("text", { x: left, y: chartHeight - 4, class: "axis" }, svg, rows[0].metric + " over x");
  if (!usable.length) return svg;
  const bounds = usable.flatMap((r) => [r.median, r.lo, r.hi]).filter((v) => known(v) && !(choice.y && Number(v) <= 0)).map(Number);
  const x = axis(usable.map((r) => Number(r.x)), choice.x, left, chartWidth - right);
  const y = axis(bounds, choice.y, chartHeight - below, above);
  for (const v of x.marks) {
    element("line", { x1: x.at(v), x2: x.at(v), y1: above, y2: chartHeight - below, class: "grid" }, svg);
    element("text", { x: x.at(v), y: chartHeight - below + 14, class: "axis", "text-anchor": "middle" }, svg, short(v));
  }
  for (const v of y.marks) {
    element("line", { x1: left, x2: chartWidth - right, y1: y.at(v), y2: y.at(v), class: "grid" }, svg);
    element("text", { x: left - 6, y: y.at(v) + 4, class: "axis", "text-anchor": "end" }, svg, short(v));
  }
  names.forEach((name, i) => {
    const of = usable.filter((r) => r.series === name);
    if (!of.length) return;
    const colour = colours[i % colours.length];
    element("path", { class: "curve", fill: "none", stroke: colour, "stroke-width": 2, d: "M" + of.map((r) => x.at(Number(r.x)).toFixed(1) + " " + y.at(Number(r.median)).toFixed(1)).join("L") }, svg);
    for (const r of of) {
      const interval = known(r.lo) && known(r.hi);
      if (interval && !(choice.y && Number(r.lo) <= 0)) element("line", { x1: x.at(Number(r.x)), x2: x.at(Number(r.x)), y1: y.at(Number(r.lo)), y2: y.at(Number(r.hi)), stroke: colour }, svg);
      const text = `${name}, ${r.x}: ${short(Number(r.median))}` + (interval ? ` (${short(Number(r.lo))} to ${short(Number(r.hi))}, ${r.bounds})` : "") + (known(r.n) ? `, ${r.n} launches` : "");
      const mark = element("circle", { cx: x.at(Number(r.x)), cy: y.at(Number(r.median)), r: 4, fill: colour, class: "value", "data-text": text, tabindex: 0 }, svg);
      element("title", {}, mark, text);
    }
  });
  return svg;
};

for (const button of document.querySelectorAll(".explore")) {
  const figure = button.closest("figure"), frame = figure.querySelector(".frame");
  const rows = parse(figure.querySelector("[data-csv]").dataset.csv);
  const names = [...new Set(rows.map((r) => r.series))], panels = [...new Set(rows.map((r) => r.panel))];
  const choice = { series: new Set(names), x: true, y: true };
  const chart = document.createElement("div");
  chart.className = "chart";
  chart.hidden = true;
  frame.after(chart);
  const draw = () => {
    const drawn = panels.map((p) => panel(rows.filter((r) => r.panel === p), names, choice));
    chart.replaceChildren(controls, ...drawn);
  };
  const controls = document.createElement("div");
  controls.className = "controls";
  const box = (text, checked, colour, change) => {
    const label = document.createElement("label"), input = document.createElement("input");
    input.type = "checkbox";
    input.checked = checked;
    input.addEventListener("change", () => { change(input.checked); draw(); input.focus(); });
    label.append(input, " " + text);
    if (colour) label.style.borderBottom = "3px solid " + colour;
    controls.append(label);
  };
  box("x logarithmic", true, "", (on) => { choice.x = on; });
  box("y logarithmic", true, "", (on) => { choice.y = on; });
  names.forEach((name, i) => box(name || "values", true, colours[i % colours.length], (on) => { choice.series[on ? "add" : "delete"](name); }));
  button.hidden = false;
  button.addEventListener("click", () => {
    const on = chart.hidden;
    if (on) draw();
    chart.hidden = !on;
    frame.hidden = on;
    button.setAttribute("aria-pressed", String(on));
  });
}
