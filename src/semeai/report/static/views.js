"use strict";
// Pages of runs. api: {curves(numbers), params(number), game(number), link(part)}; all but link return promises.

ui.STYLES = { accepted: "good", discarded: "bad", exhausted: "warn", undecided: "accent", failed: "bad" };

ui.runList = function (runs, link) {
  const grown = new Set(runs.filter((r) => r.kind === "evolution").map((r) => r.name));
  const shown = runs.filter((r) => !grown.has(r.name.split("/step-")[0]) || !r.name.includes("/step-"));
  if (!shown.length) return ui.card("Runs", ui.el("p", { class: "faint" }, "This ledger holds no runs yet. Start one, and it appears here."));
  return ui.card("Runs", ui.table([
    { title: "run", name: true, cell: (r) => ui.el("a", { href: link(r) }, r.name) },
    { title: "kind", cell: (r) => r.kind },
    { title: "state", cell: (r) => ui.badge(r.state) },
    { title: "last result", number: true, cell: (r) => ui.ago(r.last_result_at) },
    { title: "results", number: true, wide: true, cell: (r) => ui.count(r.n_results) },
    ...(shown.some((r) => ui.pace(r)) ? [{ title: "per second", number: true, wide: true, cell: (r) => (ui.pace(r) || {}).rate }] : []),
    ...(shown.some((r) => (ui.pace(r) || {}).workers) ? [{ title: "busy workers", number: true, wide: true, cell: (r) => (ui.pace(r) || {}).workers }] : []),
    { title: "started", number: true, wide: true, cell: (r) => ui.moment(r.created_at) },
  ], shown));
};

// Results per second and busy workers of a run that is under way, as texts. The time since its last result counts.
ui.pace = function ({ pace }, now = Date.now() / 1000) {
  if (!pace || !pace.results) return null;
  const seconds = Math.max(1, now - pace.since);
  return { rate: String(+(pace.results / seconds).toPrecision(3)), workers: pace.worker_seconds ? (pace.worker_seconds / seconds).toFixed(1) : null };
};

ui.runView = function (page, api) {
  const head = ui.el("section", { class: "card" });
  const view = { race: ui.raceView, match: ui.matchView, evolution: ui.evolutionView }[page.kind];
  const body = ui.el("div");
  const inner = view ? view(page, api, body) : null;
  const foot = ui.el("section", { class: "card" });

  function draw(now) {
    const words = now.data.words || [], pace = api.live ? ui.pace(now) : null;
    ui.fill(head, ui.el("div", { class: "title" }, ui.el("h1", {}, now.name), ui.badge(now.state), ui.el("span", { class: "faint" }, now.kind)),
      ui.el("p", { class: "lead" }, words[0]), words.slice(1).map((w) => ui.el("p", { class: "faint" }, w)),
      ui.el("div", { class: "tiles" }, inner ? inner.tiles(now) : null,
        pace ? ui.tile("per second", pace.rate) : null,
        pace && pace.workers ? ui.tile("busy workers", pace.workers) : null,
        now.last_result_at ? ui.tile("last result", api.live ? ui.ago(now.last_result_at) : ui.moment(now.last_result_at)) : null));
  }

  function about(now) {
    ui.refill(foot, [now.config_hash, now.digest, now.versions], () => [ui.el("h2", {}, "How to get the same"),
      ui.pairs([["seed", now.seed], ...(now.kind === "race" ? [["digest of the results", now.digest]] : []), ["started", ui.moment(now.created_at)], ["ledger", now.ledger],
        ["versions", Object.entries(now.versions).map(([k, v]) => `${k} ${v}`).join(", ")]]),
      ui.settings("Settings of the run", now.config)]);
  }
  // A page that changes under a pressed finger or button would lose the click.
  let waits = false;
  function update() {
    if (node.matches(":active")) {
      if (!waits) addEventListener("pointerup", () => { waits = false; setTimeout(update); }, { once: true });
      waits = true;
      return;
    }
    draw(page);
    if (inner) ui.redraw(body, () => inner.update(page));
    about(page);
  }
  draw(page);
  about(page);
  const node = ui.el("div", {}, head, body, foot);
  return { node, update(now) { page = now; update(); }, tick() { draw(page); } };
};

ui.failures = function (failures, n) {
  if (!failures || !failures.length) return null;
  return ui.card(`Failures (${ui.count(n)})`, failures.length < n ? ui.el("p", { class: "note" }, `The first ${failures.length} are listed.`) : null, failures.map((f) => ui.el("details", {},
    ui.el("summary", {}, ui.el("b", { class: "bad" }, f.candidate), ` ${f.kind}: ${f.message}`),
    f.seed ? ui.el("p", { class: "note" }, `seed ${f.seed}, ${ui.moment(f.recorded_at, true)}`) : null,
    f.stderr ? ui.el("pre", {}, f.stderr) : ui.el("p", { class: "note" }, "It wrote nothing to standard error."))));
};

ui.raceView = function (page, api, body) {
  let now = page, data = page.data, curves = {}, picked = [], sort = ["rate", -1], filter = "", wanted = "", from = 0;
  const PER_PAGE = 50, MOST_POINTS = 200;
  const funnelPlace = ui.el("div"), legend = ui.el("div", { class: "legend" }), evidencePlace = ui.el("div"), evidenceCard = ui.card("Evidence", ui.el("p", { class: "note" },
    "Share of the evidence that a verdict needs: at 1 it falls. Solid: to accept. Dashed: to discard."), evidencePlace);
  const tablePlace = ui.el("div"), verdictPlace = ui.el("div"), failurePlace = ui.el("div"), speedPlace = ui.el("div"), paramsPlace = ui.el("div");
  const row = (n) => data.candidates[n - 1];
  const colour = (n) => ui.SERIES[Math.max(0, picked.indexOf(n)) % ui.SERIES.length];
  let funnel = null, evidence = null, speed = null;

  function shownCurves() {
    return picked.filter((n) => curves[n] && curves[n].n.length).map((n) => ({ number: n, label: row(n)[1], colour: colour(n), ...curves[n] }));
  }

  function drawCurves() {
    const shown = shownCurves(), lines = [{ at: data.accept_above, label: "accept above", below: true }, { at: data.discard_below, label: "discard below" }];
    const drawn = new Set(shown.map((c) => c.number));
    const colours = Object.fromEntries(Object.entries(ui.STYLES).map(([verdict, style]) => [verdict, ui.colour(`--${style}`)]));
    const dots = data.candidates.filter((r) => r[3] && !drawn.has(r[0])).map((r) => ({ id: r[0], label: r[1], colour: colours[r[2]], n: r[3], mean: rate(r), lower: r[5], upper: r[6] }));
    const window = ui.window(shown, [data.accept_above, data.discard_below], dots);
    const options = { curves: shown, dots, choose: toggle, lines, log: true, percent: true, window, start: ui.start(shown, window), x: "evaluations", y: "win rate", unit: "evaluations", height: 380 };
    if (funnel) funnel.update(options); else funnel = ui.chart(funnelPlace, options);
    ui.fill(legend, picked.map((n) => ui.el("span", {}, ui.swatch(colour(n)), row(n)[1], row(n)[2] === "undecided" ? null : ui.el("b", { class: ui.STYLES[row(n)[2]] }, ` ${row(n)[2]}`))));
    const judged = [];
    for (const n of picked) {
      const c = curves[n];
      if (!c || !c.needed || !c.n.length) continue;
      judged.push({ label: `${row(n)[1]}: to accept`, colour: colour(n), n: c.n, mean: c.merit.map((m) => m / c.needed[0]) });
      judged.push({ label: `${row(n)[1]}: to discard`, colour: colour(n), dash: [5, 4], n: c.n, mean: c.doubt.map((m) => m / c.needed[1]) });
    }
    evidenceCard.hidden = !judged.length;
    const more = { curves: judged, lines: [{ at: 1, label: "verdict" }], log: true, x: "evaluations", y: "evidence", unit: "evaluations", height: evidenceHeight(), window: [0, 1.08 * Math.max(1, ...judged.flatMap((c) => c.mean))] };
    if (!judged.length) return;
    if (evidence) evidence.update(more); else evidence = ui.chart(evidencePlace, more);
  }

  // As high as the cards beside it.
  function evidenceHeight() {
    const made = data.decisions.length, beside = (made ? 65 + Math.min(330, 38 * (made + 1)) : 0) + ((data.speed || []).length > 2 ? 304 : 0);
    return matchMedia("(max-width: 900px)").matches ? 320 : Math.max(320, Math.min(620, beside - 113));
  }

  async function follow(numbers) {
    picked = numbers;
    const missing = numbers.filter((n) => !curves[n]);
    drawCurves();
    drawTable();
    // A few at a time: the first ones are drawn while the server computes the bounds of the others.
    for (let i = 0; i < missing.length; i += 2) {
      Object.assign(curves, await api.curves(missing.slice(i, i + 2)));
      drawCurves();
    }
  }

  async function toggle(n) {
    const known = picked.includes(n);
    follow(known ? picked.filter((k) => k !== n) : [...picked.slice(-(ui.SERIES.length - 1)), n]);
    ui.fill(paramsPlace);
    const params = !known && api.params ? await api.params(n) : null;
    if (params) ui.fill(paramsPlace, ui.settings(`Parameters of ${row(n)[1]}`, params));
  }

  // Drop every other point between the first and the last one, so a curve that grows all night stays quick to draw.
  function thin(c) {
    const last = c.n.length - 1;
    for (const key of ["n", "mean", "lower", "upper", "merit", "doubt"]) if (c[key].length === last + 1) c[key] = c[key].filter((_, i) => i % 2 === 0 || i === last);
  }

  const rate = (r) => (r[3] ? r[4] / r[3] : null);
  const keys = { number: (r) => r[0], name: (r) => r[1], n: (r) => r[3], rate, verdict: (r) => ["accepted", "undecided", "failed", "exhausted", "discarded"].indexOf(r[2]) };

  // By how much the numbers of a candidate are above the baseline's, with the always-valid interval.
  function difference(effect) {
    if (!effect) return "";
    const signed = (x, infinite) => (x === null ? infinite : `${x < 0 ? "−" : x > 0 ? "+" : ""}${+Math.abs(x).toPrecision(3)}`);
    return ui.el("span", { title: "the candidate's number minus the baseline's, with its always-valid interval" }, signed(effect[2], ""), ui.el("span", { class: "faint" }, ` (${signed(effect[3], "−∞")} to ${signed(effect[4], "+∞")})`));
  }

  function drawTable() {
    const key = keys[sort[0]], words = filter.toLowerCase();
    const found = data.candidates.filter((r) => (!wanted || r[2] === wanted) && (!words || r[1].toLowerCase().includes(words)));
    found.sort((a, b) => {
      const x = key(a), y = key(b);
      if (x === null || y === null) return (x === null) - (y === null);
      return sort[1] * (x < y ? -1 : x > y ? 1 : 0) || a[0] - b[0];
    });
    from = Math.min(from, Math.max(0, found.length - 1));
    const sizes = new Map((data.effects || []).map((e) => [e[0], e])), rows = found.slice(from, from + PER_PAGE), lines = [data.accept_above, data.discard_below];
    const ends = rows.flatMap((r) => (r[5] === null ? [] : [r[5], r[6]])), reach = [Math.min(...ends, lines[0] - 0.02), Math.max(...ends, lines[1] + 0.02)];
    const head = (title, name) => ui.el("button", { type: "button", class: sort[0] === name && "on", onclick: () => { sort = [name, sort[0] === name ? -sort[1] : name === "name" || name === "number" ? 1 : -1]; drawTable(); } },
      title + (sort[0] === name ? (sort[1] > 0 ? " ▲" : " ▼") : ""));
    ui.fill(tablePlace, ui.table([
      { title: head("candidate", "name"), name: true, cell: (r) => [picked.includes(r[0]) ? ui.swatch(colour(r[0])) : null, r[1]] },
      { title: head("verdict", "verdict"), cell: (r) => ui.badge(r[2]) },
      { title: head("evaluations", "n"), number: true, wide: true, cell: (r) => ui.count(r[3]) },
      { title: head("win rate", "rate"), number: true, cell: (r) => ui.percent(rate(r), 2) },
      { title: "interval", cell: (r) => ui.bar(rate(r), r[5], r[6], lines, reach, ui.STYLES[r[2]]) },
      { title: "always valid", number: true, wide: true, cell: (r) => (r[5] === null ? "" : `${ui.percent(r[5], 2)} to ${ui.percent(r[6], 2)}`) },
      ...(sizes.size ? [{ title: `${data.effects[0][1]} difference`, number: true, wide: true, cell: (r) => difference(sizes.get(r[0])) }] : []),
    ], rows, (r) => ({ class: `pick ${picked.includes(r[0]) ? "picked" : ""}`, onclick: () => toggle(r[0]), title: "Click to draw its curve, or to remove it" })),
    found.length > PER_PAGE ? ui.el("div", { class: "steps" },
      ui.el("button", { type: "button", disabled: from === 0, onclick: () => { from -= PER_PAGE; drawTable(); } }, "‹"),
      `${ui.count(from + 1)} to ${ui.count(Math.min(found.length, from + PER_PAGE))} of ${ui.count(found.length)}`,
      ui.el("button", { type: "button", disabled: from + PER_PAGE >= found.length, onclick: () => { from += PER_PAGE; drawTable(); } }, "›")) : null);
  }

  function drawRest() {
    const made = data.decisions.slice().reverse();
    ui.refill(verdictPlace, [made, data.n_decisions], () => made.length ? ui.card("Verdicts, the latest first",
      made.length < data.n_decisions ? ui.el("p", { class: "note" }, `The last ${made.length} of ${ui.count(data.n_decisions)}.`) : null, ui.el("div", { class: "games" }, ui.table([
      { title: "candidate", name: true, cell: (d) => row(d.candidate)[1] },
      { title: "verdict", cell: (d) => ui.badge(d.verdict) },
      { title: "evaluations", number: true, cell: (d) => ui.count(d.n) },
      { title: "when", number: true, wide: true, cell: (d) => ui.moment(d.recorded_at, true) },
    ], made))) : null);
    ui.refill(failurePlace, data.failures, () => ui.failures(data.failures, data.n_failures));
    const counts = data.speed || [];
    if (counts.length > 2) {
      const xs = (v) => (v < 180 ? `${Math.round(v)} s` : v < 10800 ? `${Math.round(v / 60)} min` : `${+(v / 3600).toPrecision(3)} h`);
      const options = { x: "since the start", y: "evaluations per second", xs, height: 220, from: 0, curves: [{ label: "evaluations per second", colour: ui.SERIES[5], n: counts.map((c) => c[0]), mean: counts.map((c) => c[1]) }] };
      if (speed) speed.update(options); else speed = ui.chart(ui.add(speedPlace, [ui.card("Speed", ui.el("div", { class: "place" }))]).querySelector(".place"), options);
    }
  }

  ui.add(body, [
    ui.card("Intervals", ui.el("p", { class: "note" }, "Win rate of each candidate with its always-valid interval. A candidate is accepted when its interval lies above the lower line, and discarded when it lies below the upper one. Dots: candidates without a curve; click one to draw it."), funnelPlace, legend),
    ui.card("Candidates", ui.el("div", { class: "tools" },
      ui.el("input", { type: "search", placeholder: "find a candidate", "aria-label": "find a candidate", oninput: (e) => { filter = e.target.value; from = 0; drawTable(); } }),
      ui.el("select", { "aria-label": "verdict", onchange: (e) => { wanted = e.target.value; from = 0; drawTable(); } },
        ui.el("option", { value: "" }, "all verdicts"), ["accepted", "undecided", "discarded", "exhausted", "failed"].map((v) => ui.el("option", { value: v }, v)))),
    tablePlace, paramsPlace),
    ui.el("div", { class: "columns" }, evidenceCard, ui.el("div", {}, verdictPlace, speedPlace)), failurePlace,
  ]);

  function start() {
    drawTable();
    drawRest();
    if (data.shown && data.shown.length) follow(data.shown);
  }
  evidenceCard.hidden = true;
  if (data.candidates.length) start(); else ui.fill(tablePlace, ui.el("p", { class: "note" }, "No batch is recorded yet."));

  return {
    tiles: (page) => [ui.tile("candidates", ui.count(page.data.candidates.length)), ...Object.keys(ui.STYLES).filter((v) => (page.data.verdicts || {})[v]).map((v) => ui.tile(v, ui.count(page.data.verdicts[v]), ui.STYLES[v])), ui.tile("evaluations", ui.count(page.data.n_evaluations))],
    update(page) {
      const empty = !data.candidates.length;
      now = page; data = page.data;
      if (empty) { if (data.candidates.length) start(); return; }
      // The curves of followed candidates grow by their present points; a page that is opened again gets them in full.
      for (const n of picked) {
        const c = curves[n], r = row(n);
        if (!c || !r || r[5] === null || (c.n.length && c.n[c.n.length - 1] >= r[3])) continue;
        c.n.push(r[3]); c.mean.push(r[4] / r[3]); c.lower.push(r[5]); c.upper.push(r[6]);
        if (c.needed && r[7] !== null) { c.merit.push(r[7]); c.doubt.push(r[8]); }
        if (c.n.length > MOST_POINTS) thin(c);
      }
      if (!picked.length && data.shown.length) follow(data.shown); else drawCurves();
      drawTable();
      drawRest();
    },
  };
};

ui.swatch = function (colour, style = "") {
  const made = ui.el("span", { class: `swatch ${style}` });
  made.style.background = colour;
  return made;
};

ui.matchView = function (page, api, body) {
  let data = page.data, curve = null, chosen = null, from = null, listed = [];  // from: first game of the part that is listed; null is the last part
  const curvePlace = ui.el("div"), scorePlace = ui.el("div"), listPlace = ui.el("div", { class: "games" }), stepPlace = ui.el("div"), gamePlace = ui.el("div"), failurePlace = ui.el("div");
  const colours = (n) => (n % 2 === 0 ? "A" : "B");

  async function open(n) {
    chosen = n;
    drawList();
    const game = await api.game(n);
    if (chosen === n) ui.fill(gamePlace, game ? ui.replay(game) : ui.el("p", { class: "note" }, "This report keeps the first games only; semeai dashboard shows them all."));
  }

  async function list(start) {
    const last = start + data.part >= data.n_played, found = last ? null : await api.games(start);
    if (!last && !found) return;
    [from, listed] = [last ? null : start, found || []];
    drawList();
    listPlace.scrollTop = 0;
  }

  // What fishtest and its kin show of a match of chess.
  function rating(r) {
    if (!r || !r.pentanomial) return [];
    const shown = (x) => (x === null ? "∞" : `${x < 0 ? "−" : "+"}${Math.abs(x).toFixed(1)}`), ends = (x) => x.map(shown).join(" to ");
    return [["normalised Elo, always valid", `${shown(r.normalised_elo)} (${ends(r.normalised_elo_always_valid_95)})`],
      ["pairs with 0, ½, 1, 1½, 2 points", r.pentanomial.join(", ")], [`LLR of ${r.llr_elo[1]} against ${r.llr_elo[0]} Elo`, `${shown(r.llr)} of ${ends(r.llr_bounds)}; the interval decides`]];
  }

  function drawList() {
    const rows = from === null ? data.games : listed, first = rows.length ? rows[0][0] : 0;
    const step = (label, title, to) => ui.el("button", { type: "button", title, "aria-label": title, disabled: to === null, onclick: () => list(to) }, label);
    ui.fill(stepPlace, data.n_played > rows.length ? ui.el("div", { class: "steps" },
      api.games ? step("‹", "earlier games", first > 0 ? Math.max(0, first - data.part) : null) : null,
      `Games ${ui.count(first + 1)} to ${ui.count(first + rows.length)} of ${ui.count(data.n_played)}${api.games ? "" : "; semeai dashboard lists them all"}`,
      api.games ? step("›", "later games", from === null ? null : first + data.part) : null) : null);
    ui.fill(listPlace, ui.table([
      { title: "game", cell: (g) => g[0] + 1 },
      { title: "first", cell: (g) => colours(g[0]) },
      { title: "winner", cell: (g) => (g[1] === 0.5 ? "draw" : g[1] > 0.5 ? "A" : "B") },
      { title: "result", cell: (g) => g[3] },
      { title: "ended by", wide: true, cell: (g) => ui.el("span", { class: g[5] && "bad" }, g[2]) },
      { title: "moves", number: true, cell: (g) => g[4] },
    ], rows, (g) => ({ class: `pick ${g[0] === chosen ? "picked" : ""}`, onclick: () => open(g[0]) })));
  }

  function draw() {
    const shown = [{ label: data.a, colour: ui.SERIES[0], ...data.curve }];
    const window = ui.window(shown, [0.5, 0.5], [], 0.5);
    const options = { curves: shown, lines: [{ at: 0.5, label: "equal" }], log: true, percent: true, x: "games", y: "score of A", unit: "games", window, start: ui.start(shown, window), height: 380 };
    if (curve) curve.update(options); else curve = ui.chart(curvePlace, options);
    const half = (s) => (s[1] ? `${s[0]} of ${ui.count(s[1])} (${ui.percent(s[0] / s[1])})` : "");
    ui.fill(scorePlace, ui.pairs([["A", data.a], ["B", data.b], ["board", `${data.game}, ${data.board}${data.komi === null ? "" : `, komi ${data.komi}`}`],
      ["A moving first", half(data.as_first)], ["A moving second", half(data.as_second)], ["draws", data.draws],
      ["95% interval of a planned match (Wilson)", ui.range(data.planned_interval)], ...rating(data.rating),
      ["moves per game", data.moves], ["CPU seconds per move, A and B", data.cpu ? data.cpu.join(" and ") : ""],
      ["ended by", Object.entries(data.reasons).map(([k, n]) => `${k} ${n}`).join(", ")]]));
    drawList();
    ui.refill(failurePlace, data.failures, () => ui.failures(data.failures, data.n_failures));
  }

  ui.add(body, [
    ui.el("div", { class: "columns" }, ui.card("Score of A with its always-valid interval", curvePlace), ui.card("The match", scorePlace)),
    ui.card("Games", ui.el("p", { class: "note" }, "Click a game to replay it. Arrow keys step through it."), listPlace, stepPlace, gamePlace), failurePlace,
  ]);
  draw();
  return {
    tiles: ({ data: d }) => (d.n_games ? [ui.tile("games", ui.count(d.n_games)), ui.tile("score of A", ui.percent(d.win_rate), d.interval[0] > 0.5 ? "good" : d.interval[1] < 0.5 ? "bad" : null),
      ui.tile("95% interval, always valid", ui.range(d.interval)), ui.tile("Elo of A", d.elo === null ? (d.win_rate > 0.5 ? "+∞" : "−∞") : ui.signed(d.elo)), ui.tile("95% interval of Elo", `${d.elo_interval[0] === null ? "−∞" : ui.signed(d.elo_interval[0])} to ${d.elo_interval[1] === null ? "+∞" : ui.signed(d.elo_interval[1])}`)] : []),
    update(page) { data = page.data; draw(); },
  };
};

ui.evolutionView = function (page, api, body) {
  let data = page.data, steps = null;
  const linePlace = ui.el("div", { class: "line" }), validPlace = ui.el("div"), stepPlace = ui.el("div"), chartPlace = ui.el("div"), badPlace = ui.el("div", { class: "gallery" }), badNote = ui.el("p", { class: "note" }), badCard = ui.card("Discarded changes, the latest first", badNote, badPlace), proposerPlace = ui.el("div");
  const legend = ui.el("p", { class: "note" });
  const MEANING = "Cross: the move. Black stones are the mover's. Dot: empty. Half black, half white: a stone of either colour. Hatched: off the board. Pale: anything.";
  const picture = (c) => (c.picture ? ui.el("img", { src: c.picture, alt: c.change, loading: "lazy" }) : ui.el("p", {}, ui.el("code", {}, c.change)));

  function draw() {
    ui.refill(linePlace, data.programs, () => data.programs.map((p) => ui.el("div", { class: `pattern ${p.label ? "yes" : ""}` },
      ui.el("h3", {}, p.label ? `${p.label}, step ${p.step}` : "first"), p.change ? picture(p) : ui.el("p", { class: "faint" }, "the player that the evolution began with"),
      p.change ? ui.el("p", { class: "note" }, p.shapes ? `${p.shapes}, ` : "", `proposed by ${p.proposer}`, ui.el("br"), `${ui.count(p.n_games)} games`) : null,
      p.race ? api.link(p.race, "its race", "") : null)));
    const rows = data.programs.flatMap((p) => p.matches.map((m) => [p, m]));
    const reach = [Math.min(0.35, ...rows.map(([, m]) => m.interval[0])), Math.max(0.65, ...rows.map(([, m]) => m.interval[1]))];
    ui.fill(validPlace, rows.length ? ui.table([
      { title: "program", name: true, cell: ([p]) => p.name },
      { title: "opponent", name: true, cell: ([, m]) => api.link(m.run, m.opponent) },
      { title: "per move", wide: true, cell: ([, m]) => m.budget },
      { title: "games", number: true, wide: true, cell: ([, m]) => ui.count(m.n_games) },
      { title: "score", number: true, cell: ([, m]) => ui.percent(m.win_rate) },
      { title: "", cell: ([, m]) => ui.bar(m.win_rate, m.interval[0], m.interval[1], [0.5], reach, m.interval[0] > 0.5 ? "good" : m.interval[1] < 0.5 ? "bad" : "accent") },
      { title: "95% interval", number: true, wide: true, cell: ([, m]) => ui.range(m.interval) },
    ], rows) : ui.el("p", { class: "note" }, "No validation match is recorded yet."));
    const labels = Object.fromEntries(data.programs.map((p) => [p.step, p.label]));
    ui.refill(stepPlace, [data.steps, labels], () => ui.el("div", { class: "games" }, ui.table([
      { title: "step", number: true, cell: (s) => api.link(s.race, String(s.number)) },
      { title: "candidates", number: true, cell: (s) => s.candidates },
      { title: "accepted", cell: (s) => s.accepted && ui.el("b", { class: "good", title: s.accepted }, labels[s.number] || s.accepted) },
      { title: "discarded", number: true, cell: (s) => s.discarded },
      { title: "games", number: true, cell: (s) => ui.count(s.n_games) },
    ], data.steps)));
    let sum = 0;
    const total = data.steps.map((s) => (sum += s.n_games));
    const options = { x: "step", whole: true, y: "games so far", unit: "steps", height: 260, curves: [{ label: "games so far", colour: ui.SERIES[1], n: data.steps.map((s) => s.number), mean: total }],
      lines: data.steps.filter((s) => s.accepted).map((s) => ({ x: s.number, colour: ui.colour("--good") })) };
    if (steps) steps.update(options); else steps = ui.chart(chartPlace, options);
    ui.fill(proposerPlace, ui.plainTable(["proposer", "candidates", "acceptances", "games"], data.proposers.map((p) => [p.name, p.candidates, p.acceptances, p.games])));
    ui.fill(legend, [...data.programs, ...data.discarded].some((c) => c.picture) ? MEANING : null);
    legend.hidden = !legend.textContent;
    badCard.hidden = !data.discarded.length;
    badNote.hidden = data.discarded.length === data.n_discarded;
    badNote.textContent = `The last ${data.discarded.length} of ${ui.count(data.n_discarded)}.`;
    ui.refill(badPlace, data.discarded, () => data.discarded.slice().reverse().map((c) => ui.el("div", { class: "pattern" }, picture(c),
      ui.el("p", { class: "note" }, `step ${c.step}, ${ui.percent(c.win_rate)} of ${ui.count(c.n_games)} games`))));
  }

  ui.add(body, [
    ui.card("The line of programs", legend, linePlace),
    ui.card("What the programs are worth", ui.el("p", { class: "note" }, "Separate games with new seeds, played after the verdicts. Intervals are Wilson's, for a number of games that was planned."), validPlace),
    ui.el("div", { class: "columns" }, ui.card("Games of the races, step by step", ui.el("p", { class: "note" }, "Green lines: a change was accepted."), chartPlace), ui.card("Steps", stepPlace, ui.el("h3", {}, "By proposer"), proposerPlace)),
    badCard,
  ]);
  draw();
  return {
    tiles: ({ data: d }) => [ui.tile("steps", d.steps.length), ui.tile("accepted", d.programs.length - 1, "good"), ui.tile("games of races", ui.count(d.n_games))],
    update(page) { data = page.data; draw(); },
  };
};
