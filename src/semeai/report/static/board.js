"use strict";
// Boards of Go and Havannah. Points have numbers, row by row from the top left, as in semeai.report.boards.

ui.centres = function (board) {
  const places = [];
  if (board.game === "go") {
    for (let i = 0; i < board.size * board.size; i++) places.push([(i % board.size) + 0.5, Math.floor(i / board.size) + 0.5]);
  } else {
    const rows = 2 * board.size - 1;
    for (let y = 0; y < rows; y++) {
      const shift = Math.abs(y - board.size + 1);
      for (let i = 0; i < rows - shift; i++) places.push([i + shift / 2 + 0.5, y * Math.sqrt(0.75) + 0.6]);
    }
  }
  return places;
};

ui.starPoints = function (size) {
  if (size < 5) return [];
  const near = size < 7 ? [] : size > 11 ? [3, size - 4] : [2, size - 3];
  const all = [];
  for (const a of near) for (const b of near) all.push([a, b]);
  if (size % 2) {
    const m = (size - 1) / 2;
    all.push([m, m]);
    if (size > 11) for (const a of near) all.push([a, m], [m, a]);
  }
  return all;
};

// Returns {node, show(state)}; state: {stones, last, heat, owners, area, line, win, dead}. click(i) and hover(i | null) are optional.
ui.board = function (board, { click, hover } = {}) {
  const places = ui.centres(board), go = board.game === "go";
  const rows = go ? board.size : 2 * board.size - 1;
  const width = rows, height = go ? rows : (rows - 1) * Math.sqrt(0.75) + 1.2, edge = go ? 0.7 : 0.05;
  const node = ui.svg("svg", {
    class: `board ${go ? "" : "hex"} ${click ? "live" : ""}`, role: "img", "aria-label": go ? `Go board, ${board.size} lines` : `Havannah board, base ${board.size}`,
    viewBox: `${-edge} ${-edge} ${width + 2 * edge} ${height + 2 * edge}`,
  });
  const names = [];  // of cells; those under a disc are hidden
  const ground = ui.svg("g"), layer = ui.svg("g"), hits = ui.svg("g");
  const stone = (id, ...stops) => ui.svg("radialGradient", { id, cx: "36%", cy: "32%", r: "72%" }, stops.map(([offset, colour]) => ui.svg("stop", { offset, "stop-color": colour })));
  node.append(ui.svg("defs", {}, stone("stone-black", [0, "#5b6168"], [0.55, "#22262a"], [1, "#0c0d0f"]), stone("stone-white", [0, "#ffffff"], [0.6, "#f6f5f1"], [1, "#d3d0c7"])));
  if (go) {
    ground.append(ui.svg("rect", { class: "wood", x: -edge, y: -edge, width: width + 2 * edge, height: height + 2 * edge, rx: 0.25 }));
    let lines = "";
    for (let i = 0; i < rows; i++) lines += `M0.5 ${i + 0.5}H${rows - 0.5}M${i + 0.5} 0.5V${rows - 0.5}`;
    ground.append(ui.svg("path", { class: "grid", d: lines }));
    for (const [x, y] of ui.starPoints(rows)) ground.append(ui.svg("circle", { class: "star", cx: x + 0.5, cy: y + 0.5, r: 0.11 }));
    for (let i = 0; i < rows; i++) {
      const letter = "ABCDEFGHJKLMNOPQRSTUVWXYZ"[i];
      for (const y of [-0.15, rows + 0.42]) ground.append(ui.svg("text", { class: "edge", x: i + 0.5, y }, letter));
      for (const x of [-0.28, rows + 0.28]) ground.append(ui.svg("text", { class: "edge", x, y: i + 0.64 }, rows - i));
    }
  } else {
    const r = 1 / Math.sqrt(3);
    for (const [i, [x, y]] of places.entries()) {
      const corners = [[0, -r], [0.5, -r / 2], [0.5, r / 2], [0, r], [-0.5, r / 2], [-0.5, -r / 2]];
      ground.append(ui.svg("polygon", { class: "cell", points: corners.map(([a, b]) => `${(x + a).toFixed(3)},${(y + b).toFixed(3)}`).join(" ") }));
      names.push(ui.svg("text", { class: "label small", x, y: y + 0.08, opacity: ".38" }, board.names[i]));
    }
  }
  ground.append(...names);
  if (click || hover) {
    for (const [i, [x, y]] of places.entries()) {
      const hit = ui.svg("circle", { class: "hit", cx: x, cy: y, r: 0.48, "data-point": board.names[i] });
      if (click) hit.addEventListener("click", () => click(i));
      if (hover) {
        hit.addEventListener("pointerenter", () => hover(i));
        hit.addEventListener("pointerleave", () => hover(null));
      }
      hits.append(hit);
    }
  }
  node.append(ground, layer, hits);

  function disc(i, letter, style = "") {
    const [x, y] = places[i];
    return ui.svg("circle", { class: `${letter === "b" ? "black" : "white"} ${style}`, cx: x, cy: y, r: go ? 0.46 : 0.4 });
  }

  function words(i, text, style, dy = 0.11) {
    const [x, y] = places[i];
    return ui.svg("text", { class: `label ${style}`, x, y: y + dy }, text);
  }

  function show(state) {
    const covered = new Set([...(state.heat || []), ...(state.line || [])].map((spot) => spot.place));
    for (const [i, name] of names.entries()) name.setAttribute("visibility", covered.has(i) || state.stones[i] !== "." ? "hidden" : "visible");
    const parts = [], area = [], dead = new Set(state.dead || []), stones = state.stones;
    for (const [i, value] of (state.owners || []).entries()) {
      if (Math.abs(value) < 0.08) continue;
      const [x, y] = places[i], half = 0.16 + 0.26 * Math.abs(value);
      parts.push(ui.svg("rect", { class: `owner ${value > 0 ? "b" : "w"}`, x: x - half, y: y - half, width: 2 * half, height: 2 * half, opacity: (0.12 + 0.42 * Math.abs(value)).toFixed(2) }));
    }
    for (const [i, owner] of (state.area || []).entries()) {
      if (!owner || (stones[i] !== "." && !dead.has(i))) continue;
      const [x, y] = places[i];
      area.push(ui.svg("rect", { class: `area ${owner > 0 ? "b" : "w"}`, x: x - 0.14, y: y - 0.14, width: 0.28, height: 0.28 }));
    }
    for (let i = 0; i < stones.length; i++) if (stones[i] !== ".") parts.push(disc(i, stones[i], dead.has(i) ? "dead" : ""));
    for (const i of state.area ? [] : dead) {
      const [x, y] = places[i];
      parts.push(ui.svg("path", { d: `M${x - 0.2} ${y - 0.2}l.4 .4M${x - 0.2} ${y + 0.2}l.4 -.4`, stroke: "#e5483f", "stroke-width": 0.09 }));
    }
    parts.push(...area);
    for (const i of state.win || []) {
      const [x, y] = places[i];
      parts.push(ui.svg("circle", { class: "win", cx: x, cy: y, r: 0.3 }));
    }
    if (typeof state.last === "number" && stones[state.last] !== ".") {
      const [x, y] = places[state.last];
      parts.push(ui.svg("circle", { class: `last on-${stones[state.last] === "b" ? "black" : "white"}`, cx: x, cy: y, r: 0.2 }));
    }
    for (const spot of state.heat || []) {
      if (stones[spot.place] !== ".") continue;
      // Green is as good as the move with most visits, red is 15% worse; the fewer visits, the paler, and hardly any are a small dot.
      const [x, y] = places[spot.place], loss = Math.max(0, state.heat[0].rate - spot.rate), hue = Math.round(150 - 142 * Math.min(1, loss / 0.15));
      const best = spot === state.heat[0], told = spot.share > 0.015 || spot.order < 3, light = Math.round(82 - 20 * Math.sqrt(spot.share));
      parts.push(ui.svg("circle", { class: `heat ${best ? "best" : ""}`, cx: x, cy: y, r: told ? 0.45 : 0.13, fill: best ? "#7fd6f2" : `hsl(${hue} 66% ${light}%)` }));
      if (told) {
        parts.push(words(spot.place, `${Math.round(100 * spot.rate)}`, "", 0.04));
        parts.push(words(spot.place, spot.visits >= 1000 ? `${(spot.visits / 1000).toFixed(spot.visits < 10000 ? 1 : 0)}k` : String(spot.visits), "small", 0.29));
      }
    }
    for (const [k, step] of (state.line || []).entries()) {
      if (typeof step.place !== "number") continue;
      parts.push(disc(step.place, step.letter));
      parts.push(words(step.place, String(k + 1), step.letter === "b" ? "on-black" : "on-white"));
    }
    layer.replaceChildren(...parts);
  }
  return { node, show };
};

// Replay a game: board, slider, comments and the win-rate curve. data as in semeai.report.boards.game_data.
ui.replay = function (data) {
  const boards = [data.start];
  for (const move of data.moves) {
    const next = boards[boards.length - 1].split("");
    for (const [i, letter] of move.changes) next[i] = letter;
    boards.push(next.join(""));
  }
  const last = data.moves.length;
  let at = last;
  const drawing = ui.board(data), says = ui.el("p", { class: "says" }), comment = ui.el("pre");
  const slider = ui.el("input", { type: "range", min: 0, max: last, value: last, "aria-label": "move", oninput: () => go(+slider.value) });
  const button = (label, title, to) => ui.el("button", { type: "button", title, "aria-label": title, onclick: () => go(to()) }, label);
  const place = ui.el("div");
  const rated = data.moves.map((m, i) => [i + 1, m.rate, m.player]).filter(([, rate]) => rate !== null);
  const first = data.colours[0];
  const opinion = (player) => {
    const own = rated.filter((r) => r[2] === player);
    return { label: `${first}'s win rate, as ${data.colours[player]} sees it`, colour: ui.SERIES[player], n: own.map((r) => r[0]), mean: own.map((r) => r[1]) };
  };
  const options = {
    x: "move", whole: true, y: `win rate of ${first}`, percent: true, window: [0, 1], height: 200, unit: "moves", pick: (n) => go(Math.round(n)),
    curves: [opinion(0), opinion(1)],
    lines: [{ at: 0.5 }],
  };
  const legend = ui.el("div", { class: "legend" }, options.curves.filter((c) => c.n.length).map((c) => ui.el("span", {}, ui.swatch(c.colour), c.label)));
  let curve = null;

  function go(to) {
    at = Math.max(0, Math.min(last, to));
    const move = at ? data.moves[at - 1] : null;
    drawing.show({ stones: boards[at], last: move ? move.place : null });
    slider.value = at;
    const who = move ? data.colours[move.player] : "";
    ui.fill(says, move ? `Move ${at} of ${last}: ${who} ${move.name}` : `Start. ${last} moves, result ${data.result || "unknown"}`,
      at === last && data.result ? ` · ${data.result}` : "");
    ui.fill(comment, move ? move.comment : data.ending);
    comment.hidden = !comment.textContent;
    if (curve) curve.update({ lines: [{ at: 0.5 }, { x: at, colour: ui.colour("--accent") }] });
  }

  const node = ui.el("div", { class: "replay", tabindex: 0, onkeydown: (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -10, ArrowDown: 10, Home: -1e6, End: 1e6 }[event.key];
    if (step && event.target !== slider) { go(at + step); event.preventDefault(); }
  } },
  ui.el("div", {}, drawing.node, ui.el("div", { class: "steps" },
    button("«", "first move", () => 0), button("‹", "back", () => at - 1), slider, button("›", "forward", () => at + 1), button("»", "last move", () => last))),
  ui.el("div", {}, ui.el("p", {}, data.colours.map((colour, player) => [player ? ui.el("br") : null, ui.el("b", {}, `${colour[0].toUpperCase()}${colour.slice(1)} `), data[colour]])), says, comment, place, legend));
  if (rated.length) curve = ui.chart(place, options);
  go(last);
  return node;
};
