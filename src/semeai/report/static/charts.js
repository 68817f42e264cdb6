"use strict";
// Figures over uPlot: curves with bands, lines at thresholds, a tip at the pointer.

const WHOLE = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000];
const SECONDS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1200, 3600, 7200, 14400, 43200, 86400, 172800, 604800];

// options: {x, y, curves: [{label, colour, n, mean, lower, upper, dash}], lines: [{at, label}], log, window, percent, height,
// start, dots: [{label, colour, n, mean, lower, upper, id}]: single points behind the curves; choose(id) is called for a click on one}
ui.chart = function (place, options) {
  let drawn = null;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const tip = ui.el("div", { class: "tip", hidden: true });
  const box = ui.el("div", { class: "chart" });
  let focus = null;  // label of the curve that the pointer is at: its band is drawn darker
  ui.fill(place, box);

  function draw() {
    if (drawn) drawn.destroy();
    const curves = options.curves.filter((c) => c.n.length);
    ui.fill(box, tip);
    if (!curves.length && !(options.dots || []).length) {
      ui.fill(box, ui.el("p", { class: "note" }, options.empty || "Nothing to draw yet."));
      drawn = null;
      return;
    }
    const ink = ui.colour("--faint"), line = ui.colour("--line");
    const fine = options.percent && options.window && options.window[1] - options.window[0] < 0.2;
    const show = options.percent ? (v) => ui.percent(v, fine ? 2 : 1) : (v) => String(+v.toPrecision(4));
    const series = [{}], bands = [], tables = [], dots = options.dots || [];
    const pale = Math.max(0.015, Math.min(0.14, 0.18 / curves.filter((c) => c.lower).length));
    const ends = dots.length ? [Math.min(...dots.map((d) => d.n)), Math.max(...dots.map((d) => d.n))] : [Infinity, -Infinity];
    for (const c of curves) {
      const hasBand = Boolean(c.lower);
      tables.push(hasBand ? [c.n, c.mean, c.lower, c.upper] : [c.n, c.mean]);
      series.push({ label: c.label, stroke: c.colour, width: 2, spanGaps: true, dash: c.dash, points: { show: c.n.length < 3 } });
      if (hasBand) {
        const edge = { stroke: c.colour + "59", width: 1, spanGaps: true, points: { show: false } };
        series.push({ ...edge, label: "" }, { ...edge, label: "" });
        bands.push({ series: [series.length - 1, series.length - 2], fill: () => c.colour + hex(focus === c.label ? 0.24 : pale) });
      }
    }
    if (!curves.length) {
      tables.push([ends[0] === ends[1] ? [ends[0]] : ends, ends[0] === ends[1] ? [null] : [null, null]]);
      series.push({ label: "" });
    }
    const data = uPlot.join(tables);
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: "12px system-ui, sans-serif" };
    const whole = (v) => (v === null || v === undefined ? "" : v >= 10000 ? `${+(v / 1000).toPrecision(3)}k` : String(+v.toPrecision(4)));
    const narrow = box.clientWidth < 480;
    drawn = new uPlot({
      width: Math.max(120, box.clientWidth), height: narrow ? Math.min(options.height || 320, 250) : options.height || 320,
      padding: [10, 14, 0, 0],
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, points: { show: false } },
      scales: {
        x: { time: false, distr: options.log ? 3 : 1, range: (_, low, high) => (options.log ? [Math.max(1, Math.min(Math.max(low, options.start || 0), ends[0]) * 0.9), Math.max(high, ends[1]) * 1.15] : low === high ? [low - 1, high + 1] : [low, high]) },
        y: { range: (_, low, high) => options.from === 0 ? [0, 1.08 * high || 1] : options.window || (low === high ? [low - 1, high + 1] : [low - 0.05 * (high - low), high + 0.05 * (high - low)]) },
      },
      axes: [
        { ...axis, values: (_, vs) => vs.map((v) => (options.xs ? options.xs(v) : whole(v))), label: options.x, labelFont: "12px system-ui, sans-serif", labelSize: 22, size: 34, ...(options.log ? { splits: (_u, _axis, low, high) => logTicks(low, high, box.clientWidth), filter: (_u, ticks) => ticks } : {}), ...(options.whole ? { incrs: WHOLE } : options.xs ? { incrs: SECONDS } : {}) },
        { ...axis, values: (_, vs) => vs.map((v) => (v === null ? "" : options.percent ? ui.percent(v, fine ? 1 : 0) : show(v))), label: narrow ? undefined : options.y, labelFont: "12px system-ui, sans-serif", labelSize: 22, size: 56 },
      ],
      series, bands,
      hooks: {
        drawAxes: [(u) => points(u, dots)],
        draw: [(u) => thresholds(u)],
        setCursor: [(u) => point(u, curves, dots, show)],
      },
    }, data, box);
  }

  function thresholds(u) {
    const pen = u.ctx, scale = devicePixelRatio;
    pen.save();
    for (const mark of options.lines || []) {
      const vertical = mark.x !== undefined;
      const at = Math.round(u.valToPos(vertical ? mark.x : mark.at, vertical ? "x" : "y", true));
      if (!vertical && (at < u.bbox.top || at > u.bbox.top + u.bbox.height)) continue;
      pen.strokeStyle = mark.colour || ui.colour("--faint");
      pen.setLineDash(vertical ? [] : [5 * scale, 4 * scale]);
      pen.lineWidth = scale;
      pen.beginPath();
      pen.moveTo(vertical ? at : u.bbox.left, vertical ? u.bbox.top : at);
      pen.lineTo(vertical ? at : u.bbox.left + u.bbox.width, vertical ? u.bbox.top + u.bbox.height : at);
      pen.stroke();
      if (mark.label) {
        pen.font = `600 ${11 * scale}px system-ui, sans-serif`;
        pen.textAlign = "right";
        pen.setLineDash([]);
        pen.lineWidth = 4 * scale;
        pen.lineJoin = "round";
        pen.strokeStyle = ui.colour("--card");
        pen.fillStyle = ui.colour("--ink");
        const where = [mark.label, u.bbox.left + u.bbox.width - 5 * scale, at + (mark.below ? 15 : -7) * scale];
        pen.strokeText(...where);
        pen.fillText(...where);
      }
    }
    pen.restore();
  }

  // Candidates without a curve: a dot each, with its interval as a thin line.
  function points(u, dots) {
    const pen = u.ctx, scale = devicePixelRatio, edge = u.bbox;
    pen.save();
    pen.beginPath();
    pen.rect(edge.left, edge.top, edge.width, edge.height);
    pen.clip();
    pen.lineWidth = scale;
    for (const d of dots) {
      const x = u.valToPos(d.n, "x", true), y = u.valToPos(d.mean, "y", true);
      pen.strokeStyle = pen.fillStyle = d.colour;
      pen.globalAlpha = dots.length > 200 ? 0.12 : 0.3;
      if (d.lower !== null) {
        pen.beginPath();
        pen.moveTo(x, u.valToPos(d.lower, "y", true));
        pen.lineTo(x, u.valToPos(d.upper, "y", true));
        pen.stroke();
      }
      pen.globalAlpha = dots.length > 200 ? 0.55 : 0.85;
      pen.beginPath();
      pen.arc(x, y, 3 * scale, 0, 7);
      pen.fill();
    }
    pen.restore();
  }

  // Show the curve or the dot that is nearest to the pointer.
  function point(u, curves, dots, show) {
    const { left, top } = u.cursor;
    if (left === undefined || left < 0) { tip.hidden = true; light(u, null); return; }
    const wanted = u.posToVal(left, "x");
    let best = null;
    for (const c of curves) {
      let k = 0;
      for (let i = 1; i < c.n.length; i++) if (Math.abs(c.n[i] - wanted) < Math.abs(c.n[k] - wanted)) k = i;
      if (c.mean[k] === null) continue;
      const far = Math.abs(u.valToPos(c.mean[k], "y") - top) + 0.3 * Math.abs(u.valToPos(c.n[k], "x") - left);
      if (!best || far < best.far) best = { c, k, far };
    }
    for (const d of dots) {
      const far = Math.hypot(u.valToPos(d.mean, "y") - top, u.valToPos(d.n, "x") - left);
      if (far < 12 && (!best || far < best.far)) best = { c: { ...d, n: [d.n], mean: [d.mean], lower: d.lower === null ? null : [d.lower], upper: [d.upper] }, k: 0, far };
    }
    if (!best) { tip.hidden = true; light(u, null); return; }
    const { c, k } = best;
    light(u, c.label);
    if (box.dataset.clicked) {
      delete box.dataset.clicked;
      if (c.id !== undefined && options.choose) options.choose(c.id);
    }
    const xs = options.xs ? options.xs(c.n[k]) : `${ui.count(c.n[k])} ${options.unit || ""}`;
    ui.fill(tip, ui.el("b", {}, c.label), ui.el("br"), `${xs}: ${show(c.mean[k])}`,
      c.lower ? [ui.el("br"), `${show(c.lower[k])} to ${show(c.upper[k])}`] : null);
    tip.hidden = false;
    const room = box.clientWidth - tip.offsetWidth - 6;
    tip.style.left = `${Math.max(0, Math.min(room, left + 76))}px`;
    tip.style.top = `${Math.max(0, top - 14)}px`;
    if (options.pick && box.dataset.pressed) options.pick(c.n[k]);
  }

  // The band of the curve at the pointer is drawn darker.
  function light(u, label) {
    if (label === focus) return;
    focus = label;
    if (options.curves.some((c) => c.lower)) u.redraw(false, false);
  }

  const look = () => { if (drawn) point(drawn, options.curves.filter((c) => c.n.length), options.dots || [], options.percent ? ui.percent : String); };
  if (options.choose) box.addEventListener("click", () => { box.dataset.clicked = "1"; look(); delete box.dataset.clicked; });
  if (options.pick) {
    box.addEventListener("pointerdown", () => { box.dataset.pressed = "1"; look(); });
    addEventListener("pointerup", () => delete box.dataset.pressed);
  }
  let width = 0;
  new ResizeObserver(() => {
    if (box.clientWidth && box.clientWidth !== width) { width = box.clientWidth; draw(); }
  }).observe(box);
  dark.addEventListener("change", draw);
  return { update(changes) { Object.assign(options, changes); if (box.clientWidth) draw(); } };
};

// Round numbers along a logarithmic axis: 1, 2, 5, 10, ..., and fewer where there is little room.
function logTicks(low, high, width) {
  const of = (steps) => {
    const found = [];
    for (let p = 10 ** Math.floor(Math.log10(low)); p <= high; p *= 10) for (const m of steps) if (m * p >= low && m * p <= high) found.push(m * p);
    return found;
  };
  const most = Math.max(3, width / 60);
  return [[1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1, 3], [1]].map(of).find((ticks) => ticks.length <= most) || of([1]);
}

const hex = (share) => Math.round(255 * share).toString(16).padStart(2, "0");

// The part of the win rates to show: where the curves end, not the wide intervals of their beginnings.
// Intervals may add up to ``most`` on each side.
ui.window = function (curves, around, dots = [], most = 0.2) {
  const middle = (around[0] + around[1]) / 2;
  let reach = Math.max(0.01, 2 * (around[1] - around[0]));
  for (const c of curves) {
    const last = c.n.length - 1;
    if (last < 0) continue;
    reach = Math.max(reach, 1.25 * Math.abs(c.mean[last] - middle), Math.min(most, 1.25 * Math.max(c.upper[last] - middle, middle - c.lower[last])));
  }
  const far = dots.map((d) => Math.abs(d.mean - middle)).sort((a, b) => a - b);
  if (far.length) reach = Math.max(reach, Math.min(0.35, 1.1 * far[Math.floor(0.95 * (far.length - 1))]));
  return [Math.max(0, middle - reach), Math.min(1, middle + reach)];
};

// Where to begin: before it, all intervals are wider than the part of the win rates that is shown.
ui.start = function (curves, [low, high]) {
  const first = curves.map((c) => c.n.find((_, i) => c.lower[i] > low || c.upper[i] < high)).filter((n) => n !== undefined);
  return first.length ? Math.min(...first) : 0;
};

// A chart of a result table: our curves with their intervals, and the paper's dashed.
ui.resultChart = function (chart) {
  const place = ui.el("div"), colours = chart.curves.map((_, i) => ui.SERIES[i % ui.SERIES.length]);
  const curves = chart.curves.map((c, i) => ({ label: c.label, colour: colours[i], n: c.n, mean: c.mean, ...(c.paper ? { dash: [6, 5] } : { lower: c.lower, upper: c.upper }) }));
  const values = chart.curves.flatMap((c) => [...c.lower, ...c.upper, ...(chart.even === null ? [] : [chart.even])]);
  const low = Math.min(...values), high = Math.max(...values), room = 0.06 * (high - low || 1);
  ui.chart(place, { curves, x: chart.x, y: chart.y, log: chart.log, unit: "", height: 320, window: [low - room, high + room], lines: chart.even === null ? [] : [{ at: chart.even, label: "even" }] });
  return ui.el("div", {}, ui.el("h3", {}, chart.title), place, ui.el("div", { class: "legend" }, curves.map((c) => ui.el("span", {}, ui.swatch(c.colour), c.label))));
};

// An interval as a bar between the thresholds. Places are shares of the width, so nothing is distorted.
ui.bar = function (mean, lower, upper, lines, reach, style) {
  const at = (v) => `${Math.max(1.5, Math.min(98.5, (100 * (v - reach[0])) / (reach[1] - reach[0]))).toFixed(2)}%`;
  const parts = [ui.svg("line", { class: "track", x1: 0, x2: "100%", y1: 9, y2: 9 })];
  for (const v of lines) parts.push(ui.svg("line", { class: "mark", x1: at(v), x2: at(v), y1: 1, y2: 17 }));
  if (lower !== null && upper !== null) parts.push(ui.svg("line", { class: "reach", x1: at(lower), x2: at(upper), y1: 9, y2: 9 }));
  if (mean !== null) parts.push(ui.svg("circle", { cx: at(mean), cy: 9, r: 4 }));
  const words = lower === null ? "no interval yet" : `${lower} to ${upper}`;
  return ui.svg("svg", { class: `bar ${style || "accent"}`, role: "img", "aria-label": words }, parts);
};
