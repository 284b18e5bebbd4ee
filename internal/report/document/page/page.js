"use strict";
// Values on hover.
const tip = document.getElementById("tip");
document.addEventListener("pointerover", (event) => {
  const text = event.target.dataset && event.target.dataset.text;
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(0, Math.min(event.clientX + 12, innerWidth - box.width - 8)) + "px";
  tip.style.top = Math.max(0, event.clientY - box.height - 12) + "px";
});

// Figures zoom by their buttons, or by the wheel with the control key held, and
// are dragged when they are larger than their frame. A double click shows all.
for (const frame of document.querySelectorAll(".frame")) {
  const tools = frame.previousElementSibling;
  const svg = frame.querySelector("svg");
  const all = svg.getAttribute("viewBox").split(/[\s,]+/).map(Number);
  let [x, y, w, h] = all;
  const show = () => {
    w = Math.min(w, all[2]);
    h = Math.min(h, all[3]);
    x = Math.max(0, Math.min(x, all[2] - w));
    y = Math.max(0, Math.min(y, all[3] - h));
    svg.setAttribute("viewBox", [x, y, w, h].join(" "));
    frame.classList.toggle("close", w < all[2]);
  };
  const zoom = (by, atX, atY) => {
    if (by === 0) {
      [x, y, w, h] = all;
    } else {
      const width = Math.max(all[2] / 20, Math.min(all[2], w / by));
      const scale = width / w;
      x += (w - w * scale) * atX;
      y += (h - h * scale) * atY;
      w *= scale;
      h *= scale;
    }
    show();
  };
  for (const button of tools.querySelectorAll("button")) {
    button.addEventListener("click", () => zoom(Number(button.dataset.zoom), 0.5, 0.5));
  }
  svg.addEventListener("dblclick", () => zoom(0));
  svg.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  }, { passive: false });
  let last = null;
  svg.addEventListener("pointerdown", (event) => {
    if (w < all[2]) {
      last = event;
      svg.setPointerCapture(event.pointerId);
    }
  });
  svg.addEventListener("pointermove", (event) => {
    if (!last) return;
    const box = svg.getBoundingClientRect();
    x -= (event.clientX - last.clientX) / box.width * w;
    y -= (event.clientY - last.clientY) / box.height * h;
    last = event;
    show();
  });
  svg.addEventListener("pointerup", () => { last = null; });
}

// Tables are sorted by the column that is clicked: by value where there is one.
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const sort = () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const body = table.tBodies[0];
      const key = (row) => {
        const cell = row.cells[column];
        return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
      };
      const order = (a, b) => {
        const p = key(a), q = key(b);
        if (typeof p === "number" && typeof q === "number") return p - q;
        if (typeof p === "number") return -1;
        if (typeof q === "number") return 1;
        return p.localeCompare(q, "en", { numeric: true });
      };
      const rows = [...body.rows].sort((a, b) => up ? order(a, b) : order(b, a));
      body.append(...rows);
    };
    head.addEventListener("click", sort);
    head.addEventListener("keydown", (event) => {
      if (event.key === "Enter") sort();
    });
  });
}

// Figures and their values are saved as files.
for (const link of document.querySelectorAll(".save")) {
  link.hidden = false;
  link.addEventListener("click", () => {
    const text = link.dataset.save === "csv" ? link.dataset.csv
      : new XMLSerializer().serializeToString(link.closest("figure").querySelector("svg"));
    const type = link.dataset.save === "csv" ? "text/csv" : "image/svg+xml";
    link.href = "data:" + type + ";charset=utf-8," + encodeURIComponent(text);
  });
}

// What is folded is opened for a link into it, and for print.
const unfold = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const folded = target && (target.closest("details") || target.querySelector("details"));
  if (folded) folded.open = true;
};
addEventListener("hashchange", unfold);
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
unfold();
