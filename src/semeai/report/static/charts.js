"use strict";
// Figures over uPlot: curves with bands, lines at thresholds, a tip at the pointer.

// options: {x, y, curves: [{label, colour, n, mean, lower, upper, dash}], lines: [{at, label}], log, window, percent, height}
ui.chart = function (place, options) {
  let drawn = null;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const tip = ui.el("div", { class: "tip", hidden: true });
  const box = ui.el("div", { class: "chart" });
  ui.fill(place, box);

  function draw() {
    if (drawn) drawn.destroy();
    const curves = options.curves.filter((c) => c.n.length);
    ui.fill(box, tip);
    if (!curves.length) {
      ui.fill(box, ui.el("p", { class: "note" }, "Nothing to draw yet."));
      drawn = null;
      return;
    }
    const ink = ui.colour("--faint"), line = ui.colour("--line");
    const fine = options.percent && options.window && options.window[1] - options.window[0] < 0.2;
    const show = options.percent ? (v) => ui.percent(v, fine ? 2 : 1) : (v) => String(+v.toPrecision(4));
    const series = [{}], bands = [], tables = [];
    for (const c of curves) {
      const hasBand = Boolean(c.lower);
      tables.push(hasBand ? [c.n, c.mean, c.lower, c.upper] : [c.n, c.mean]);
      series.push({ label: c.label, stroke: c.colour, width: 2, spanGaps: true, dash: c.dash, points: { show: c.n.length < 3 } });
      if (hasBand) {
        const edge = { stroke: c.colour + "66", width: 1, spanGaps: true, points: { show: false } };
        series.push({ ...edge, label: "" }, { ...edge, label: "" });
        bands.push({ series: [series.length - 1, series.length - 2], fill: c.colour + "1f" });
      }
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
        x: { time: false, distr: options.log ? 3 : 1, range: (_, low, high) => (options.log ? [Math.max(1, low * 0.9), high * 1.15] : low === high ? [low - 1, high + 1] : [low, high]) },
        y: { range: (_, low, high) => options.from === 0 ? [0, 1.08 * high || 1] : options.window || (low === high ? [low - 1, high + 1] : [low - 0.05 * (high - low), high + 0.05 * (high - low)]) },
      },
      axes: [
        { ...axis, values: (_, vs) => vs.map((v) => (options.xs ? options.xs(v) : whole(v))), label: options.x, labelFont: "12px system-ui, sans-serif", labelSize: 22, size: 34, ...(options.whole ? { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] } : {}) },
        { ...axis, values: (_, vs) => vs.map((v) => (v === null ? "" : options.percent ? ui.percent(v, fine ? 1 : 0) : show(v))), label: narrow ? undefined : options.y, labelFont: "12px system-ui, sans-serif", labelSize: 22, size: 56 },
      ],
      series, bands,
      hooks: {
        draw: [(u) => thresholds(u)],
        setCursor: [(u) => point(u, curves, show)],
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
        pen.fillStyle = ui.colour("--faint");
        pen.font = `${11 * scale}px system-ui, sans-serif`;
        pen.textAlign = "right";
        pen.fillText(mark.label, u.bbox.left + u.bbox.width - 4 * scale, at + (mark.below ? 13 : -5) * scale);
      }
    }
    pen.restore();
  }

  // Show the curve that is nearest to the pointer.
  function point(u, curves, show) {
    const { left, top } = u.cursor;
    if (left === undefined || left < 0) { tip.hidden = true; return; }
    const wanted = u.posToVal(left, "x");
    let best = null;
    for (const c of curves) {
      let k = 0;
      for (let i = 1; i < c.n.length; i++) if (Math.abs(c.n[i] - wanted) < Math.abs(c.n[k] - wanted)) k = i;
      if (c.mean[k] === null) continue;
      const far = Math.abs(u.valToPos(c.mean[k], "y") - top) + 0.3 * Math.abs(u.valToPos(c.n[k], "x") - left);
      if (!best || far < best.far) best = { c, k, far };
    }
    if (!best) { tip.hidden = true; return; }
    const { c, k } = best;
    const xs = options.xs ? options.xs(c.n[k]) : `${ui.count(c.n[k])} ${options.unit || ""}`;
    ui.fill(tip, ui.el("b", {}, c.label), ui.el("br"), `${xs}: ${show(c.mean[k])}`,
      c.lower ? [ui.el("br"), `${show(c.lower[k])} to ${show(c.upper[k])}`] : null);
    tip.hidden = false;
    const room = box.clientWidth - tip.offsetWidth - 6;
    tip.style.left = `${Math.max(0, Math.min(room, left + 76))}px`;
    tip.style.top = `${Math.max(0, top - 14)}px`;
    if (options.pick && box.dataset.pressed) options.pick(c.n[k]);
  }

  if (options.pick) {
    box.addEventListener("pointerdown", () => { box.dataset.pressed = "1"; if (drawn) point(drawn, options.curves.filter((c) => c.n.length), String); });
    addEventListener("pointerup", () => delete box.dataset.pressed);
  }
  let width = 0;
  new ResizeObserver(() => {
    if (box.clientWidth && box.clientWidth !== width) { width = box.clientWidth; draw(); }
  }).observe(box);
  dark.addEventListener("change", draw);
  return { update(changes) { Object.assign(options, changes); if (box.clientWidth) draw(); } };
};

// The part of the win rates to show: where the curves end, not the wide intervals of their beginnings.
ui.window = function (curves, around) {
  const middle = (around[0] + around[1]) / 2;
  let reach = Math.max(0.01, 2 * (around[1] - around[0]));
  for (const c of curves) {
    const last = c.n.length - 1;
    if (last < 0) continue;
    reach = Math.max(reach, 1.25 * Math.abs(c.mean[last] - middle), Math.min(0.2, 1.25 * Math.max(c.upper[last] - middle, middle - c.lower[last])));
  }
  return [Math.max(0, middle - reach), Math.min(1, middle + reach)];
};

// An interval as a bar between the thresholds.
ui.bar = function (mean, lower, upper, lines, reach, style) {
  const width = 150, at = (v) => Math.max(2, Math.min(width - 2, ((v - reach[0]) / (reach[1] - reach[0])) * width));
  const colour = ui.colour(`--${style}`) || ui.colour("--accent");
  const parts = [ui.svg("line", { x1: 0, x2: width, y1: 9, y2: 9, stroke: ui.colour("--line") })];
  for (const v of lines) parts.push(ui.svg("line", { x1: at(v), x2: at(v), y1: 1, y2: 17, stroke: ui.colour("--faint"), "stroke-dasharray": "2 2" }));
  if (lower !== null && upper !== null) parts.push(ui.svg("line", { x1: at(lower), x2: at(upper), y1: 9, y2: 9, stroke: colour, "stroke-width": 5, "stroke-linecap": "round", opacity: ".45" }));
  if (mean !== null) parts.push(ui.svg("circle", { cx: at(mean), cy: 9, r: 4, fill: colour }));
  return ui.svg("svg", { class: "bar", viewBox: `0 0 ${width} 18`, preserveAspectRatio: "none", role: "img", "aria-label": lower === null ? "no interval yet" : `${lower} to ${upper}` }, parts);
};
