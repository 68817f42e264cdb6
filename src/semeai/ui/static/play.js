"use strict";
// The board to play on. The server holds the game; this page draws its state and sends what the person does.
(function () {
  const main = document.getElementById("page");
  const MISTAKES = 20;
  const STRENGTHS = { 100: "weak", 500: "easy", 2000: "normal", 10000: "strong" };
  const GAMES = { go: { sizes: [2, 25], size: 9, first: "black" }, havannah: { sizes: [2, 10], size: 6, first: "white" } };
  let state = null, presetFor = "", drawing = null, drawnFor = "", hovered = null, curve = null, view = { heat: true, owners: false };

  const says = ui.el("p", { class: "says", role: "status" }), problem = ui.el("p", { class: "says problem", hidden: true, role: "alert" }), boardPlace = ui.el("div"), seatsPlace = ui.el("div", { class: "seats" });
  const link = ui.el("span", { class: "faint" });
  const button = (label, action, more) => ui.el("button", { type: "button", onclick: action, ...more }, label);
  const buttons = {
    pass: button("Pass", () => send({ do: "play", place: "pass" })),
    swap: button("Swap", () => send({ do: "play", place: "swap" }), { class: "main", title: "Take over the first stone" }),
    undo: button("Undo", () => send({ do: "undo" })),
    resign: button("Resign", () => send({ do: "resign" })),
    analyse: button("Analyse", () => send({ do: "analyse", on: !state.analysing }), { title: "Let the search look at this position" }),
    heat: button("Heat map", () => { view.heat = !view.heat; draw(); }, { title: "Show the moves that the search considers" }),
    owners: button("Owners", () => { view.owners = !view.owners; if (view.owners && !state.analysing) send({ do: "analyse", on: true }); draw(); }, { title: "Show who is expected to own each point" }),
    review: button("Find mistakes", () => send(state.review ? { do: "stop-review" } : { do: "review" }), { title: "Search every position of the game" }),
  };
  const slider = ui.el("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "move", oninput: () => send({ do: "go", at: +slider.value }) });
  const step = (label, title, to) => button(label, () => send({ do: "go", at: to() }), { title, "aria-label": title });
  const movesPlace = ui.el("div"), curvePlace = ui.el("div"), mistakesPlace = ui.el("div"), comment = ui.el("pre", { hidden: true });
  const analysisCard = ui.card("What the search thinks", movesPlace), mistakesCard = ui.card("Mistakes, the largest first", mistakesPlace), curveCard = ui.card("Win rate", curvePlace);

  // -- a new game
  const fields = {
    game: ui.el("select", { onchange: () => setDefaults() }, ui.el("option", { value: "go" }, "Go"), ui.el("option", { value: "havannah" }, "Havannah")),
    size: ui.el("input", { type: "number", min: 2, max: 25, value: 9 }),
    komi: ui.el("input", { type: "number", step: 0.5, min: -100, max: 100, value: 7.5 }),
    handicap: ui.el("input", { type: "number", min: 0, max: 25, value: 0 }),
    swap: ui.el("input", { type: "checkbox" }),
    strength: ui.el("select"),
    human: ui.el("select", {}, [["black", "black"], ["white", "white"], ["both", "both colours"], ["none", "none: watch"]].map(([value, words]) => ui.el("option", { value }, words))),
  };
  const file = ui.el("input", { type: "file", accept: ".sgf,.hsgf,application/x-go-sgf", hidden: true, onchange: () => { if (file.files[0]) load(file.files[0]); file.value = ""; } });
  const label = (text, field) => ui.el("label", { class: "field" }, ui.el("span", {}, text), field);
  const onlyGo = [label("komi", fields.komi), label("handicap", fields.handicap)], onlyHavannah = [label("swap rule", fields.swap)], strengthLabel = label("strength", fields.strength);
  // The fields of a new game: the defaults of the chosen game, or what the game on the board (t) has.
  function setDefaults(t) {
    if (t) fields.game.value = t.board.game;
    const chosen = GAMES[fields.game.value], go = fields.game.value === "go";
    [fields.size.min, fields.size.max] = chosen.sizes;
    fields.size.value = t ? t.board.size : chosen.size;
    fields.human.value = t ? t.human : chosen.first;
    if (t && go) fields.komi.value = t.komi;
    for (const node of onlyGo) node.hidden = !go;
    for (const node of onlyHavannah) node.hidden = go;
  }
  function begin() {
    send({ do: "begin", game: fields.game.value, size: +fields.size.value, komi: +fields.komi.value, handicap: +fields.handicap.value, swap: fields.swap.checked, human: fields.human.value, ...(strengthLabel.hidden ? {} : { simulations: +fields.strength.value }) });
  }
  // How many simulations per move the player has; not for another engine, or for a player with seconds.
  function setStrengths(now) {
    strengthLabel.hidden = now === null;
    if (now === null) return;
    const all = [...new Set([...Object.keys(STRENGTHS).map(Number), now])].sort((a, b) => a - b);
    ui.fill(fields.strength, all.map((n) => ui.el("option", { value: n }, `${STRENGTHS[n] || ""} (${ui.count(n)})`)));
    fields.strength.value = now;
  }

  ui.add(main, [
    ui.el("div", { class: "top" }, ui.el("span", { class: "mark" }, ui.el("span", {}, "semeai"), " play"), ui.el("span", { class: "grow" }), link),
    ui.el("div", { class: "play" },
      ui.el("div", {}, ui.el("section", { class: "card" }, seatsPlace, says, problem, boardPlace,
        ui.el("div", { class: "steps" }, step("«", "first move", () => 0), step("‹", "back", () => Math.max(0, state.table.at - 1)), slider, step("›", "forward", () => state.table.at + 1), step("»", "last move", () => state.table.moves.length)),
        ui.el("div", { class: "tools" }, buttons.swap, buttons.pass, buttons.undo, buttons.resign, buttons.analyse, buttons.heat, buttons.owners))),
      ui.el("div", {}, analysisCard, curveCard, ui.el("section", { class: "card" }, ui.el("h2", {}, "Game"), comment,
        ui.el("div", { class: "tools" }, buttons.review, button("Open SGF", () => file.click()), ui.el("a", { href: "/api/game.sgf", download: "game.sgf", class: "button" }, "Save SGF"), file)), mistakesCard,
      ui.el("section", { class: "card" }, ui.el("h2", {}, "New game"), ui.el("div", { class: "tools" }, label("game", fields.game), label("size", fields.size), onlyGo, onlyHavannah, label("you play", fields.human), strengthLabel, button("Start", begin, { class: "main" }))))),
  ]);
  mistakesCard.hidden = curveCard.hidden = true;
  strengthLabel.title = "Simulations per move";
  setDefaults();

  // -- talking to the server
  function complain(text) { problem.hidden = !text; ui.fill(problem, text); }
  async function post(path, type, body) {
    try {
      const answer = await fetch(path, { method: "POST", headers: { "content-type": type }, body });
      complain(answer.ok ? "" : (await answer.json()).error);
      return answer.ok;
    } catch {
      complain("no connection: is semeai play still running?");
      return false;
    }
  }
  const send = (action) => post("/api/do", "application/json", JSON.stringify(action));
  async function load(chosen) {
    if (chosen.size > 2000000) { complain("the file is too large for a game record"); return; }
    if (await post("/api/load", "application/x-go-sgf", chosen)) send({ do: "analyse", on: true });
  }

  // -- drawing
  const letterOf = (player) => state.table.board.colours[player][0];
  const mine = () => ["both", state.table.board.colours[state.table.to_move]].includes(state.table.human);

  function click(i) {
    const t = state.table;
    if (t.counting) send({ do: "dead", place: i });
    else if (!t.over && (mine() || t.at < t.moves.length)) send({ do: "play", place: i });
  }
  function hover(i) { hovered = i; paint(); }

  function sentence() {
    const t = state.table, who = t.board.colours[t.to_move], Who = who[0].toUpperCase() + who.slice(1);
    if (state.doing === "counting" || t.uncounted) return "Looking for dead stones …";
    if (state.doing && state.doing !== "thinking") return state.doing[0].toUpperCase() + state.doing.slice(1);
    const winner = { B: "Black", W: "White" }[t.result[0]];
    if (t.counting) return `Counted: ${winner ? `${winner} wins by ${t.result.slice(2)}` : "a draw"}. Click stones that are dead, or alive after all.`;
    if (t.over) {
      if (!winner) return "The game is over: a draw.";
      return t.kind ? `${winner} wins by a ${t.kind.replaceAll("+", " and a ")}.` : `${winner} wins by resignation.`;
    }
    if (state.doing) return `${Who} is thinking …`;
    if (t.at < t.moves.length) return `Move ${t.at} of ${t.moves.length}. ${Who} is to move.`;
    if (t.human === "both" && !t.may_swap) return `${Who} to move.`;
    return mine() ? (t.may_swap ? `You may take over the first stone, or play as ${who}.` : `Your move: ${who}.`) : `${Who} is to move.`;
  }

  function paint() {
    const t = state.table, a = state.analysis, spots = a && !t.over ? a.moves : [];
    const under = hovered === null ? null : spots.find((m) => m.place === hovered);
    drawing.show({
      stones: t.stones, last: t.last, win: t.win, dead: t.dead, line: under ? under.line : null,
      heat: view.heat && !under ? spots.filter((m) => typeof m.place === "number") : null,
      owners: view.owners && a && a.owners ? a.owners : null, area: t.area,
    });
  }

  function seats(t) {
    return t.board.colours.map((colour, player) => ui.el("span", { class: `seat ${!t.over && t.to_move === player ? "next" : ""}` },
      ui.svg("svg", { viewBox: "0 0 20 20", class: "board disc" }, ui.svg("circle", { class: colour, cx: 10, cy: 10, r: 9 })), t.names[player]));
  }

  function draw() {
    const t = state.table, a = state.analysis, key = `${t.board.game} ${t.board.size}`;
    if (key !== drawnFor) {
      drawing = ui.board(t.board, { click, hover });
      ui.fill(boardPlace, drawing.node);
      drawnFor = key;
    }
    if (presetFor !== `${key} ${state.simulations}`) {
      presetFor = `${key} ${state.simulations}`;
      setDefaults(t);
      setStrengths(state.simulations);
      movesPlace.style.minHeight = "";
    }
    paint();
    ui.fill(seatsPlace, seats(t));
    ui.fill(says, ui.el("b", {}, sentence()), t.komi === null || t.board.game !== "go" ? "" : ` Komi ${t.komi}.`);
    if (state.problem) complain(state.problem);
    slider.max = t.moves.length;
    slider.value = t.at;
    buttons.pass.hidden = t.board.game !== "go";
    buttons.pass.disabled = !t.may_pass || !mine();
    buttons.swap.hidden = !t.may_swap || !mine();
    buttons.undo.disabled = !t.at;
    buttons.resign.disabled = t.over || !mine();
    buttons.analyse.className = state.analysing ? "on" : "";
    buttons.heat.className = view.heat ? "on" : "";
    buttons.owners.className = view.owners ? "on" : "";
    buttons.owners.hidden = t.board.game !== "go";
    buttons.review.textContent = state.review ? (state.review.done < state.review.total ? `Stop (${state.review.done} of ${state.review.total})` : "Close the review") : "Find mistakes";
    buttons.review.disabled = !t.moves.length && !state.review;
    comment.hidden = !t.comment;
    ui.fill(comment, t.comment);
    if (!a) {
      ui.fill(movesPlace, ui.el("p", { class: "note" }, t.over ? "The game is over. Step back to analyse a position." : state.analysing ? "Searching …" : "Analyse shows the best moves of this position, here and on the board: how often each one wins, and what is expected to follow."));
    } else {
      ui.fill(movesPlace, ui.el("p", { class: "note" }, `${ui.count(a.simulations)} simulations; win rates of ${t.board.colours[t.to_move]}. Click a move to play it.`, a.lead === undefined ? "" : ` ${a.lead < 0 ? "White" : "Black"} leads by ${Math.abs(a.lead)} points on average.`),
        ui.table([
          { title: "move", cell: (m) => m.name },
          { title: "win rate", number: true, cell: (m) => ui.percent(m.rate) },
          { title: "visits", number: true, cell: (m) => ui.count(m.visits) },
          { title: "expected", wide: true, cell: (m) => m.line.slice(1, 7).map((s) => s.name).join(" ") },
        ], a.moves.slice(0, 8), (m) => ({ class: "pick", onclick: () => { if (!t.over) send({ do: "play", place: m.place }); }, onpointerenter: () => { if (typeof m.place === "number") hover(m.place); }, onpointerleave: () => hover(null) })));
      movesPlace.style.minHeight = `${movesPlace.offsetHeight}px`;  // nothing below it jumps when the position changes
    }
    curveCard.hidden = t.rates.length < 2;
    if (t.rates.length >= 2) {
      const first = t.board.colours[0];
      const options = { x: "move", whole: true, y: `win rate of ${first}`, percent: true, window: [0, 1], height: 190, unit: "moves", pick: (n) => send({ do: "go", at: Math.round(n) }), lines: [{ at: 0.5 }, { x: t.at, colour: ui.colour("--accent") }],
        curves: [{ label: `win rate of ${first}`, colour: ui.SERIES[0], n: t.rates.map((r) => r[0]), mean: t.rates.map((r) => r[1]) }] };
      if (curve) curve.update(options); else curve = ui.chart(curvePlace, options);
    }
    mistakesCard.hidden = !state.review;
    if (state.review) {
      const mistakes = state.review.moves.filter((m) => m.loss > 0.02).sort((x, y) => y.loss - x.loss), worst = mistakes.slice(0, MISTAKES);
      ui.fill(mistakesPlace, mistakes.length > MISTAKES ? ui.el("p", { class: "note" }, `The first ${MISTAKES} of ${mistakes.length}.`) : null, worst.length ? ui.table([
        { title: "move", number: true, cell: (m) => m.number },
        { title: "played", cell: (m) => [ui.swatch(letterOf(m.player) === "b" ? "#17191c" : "#fbfbf9", "stone"), m.move] },
        { title: "cost", number: true, cell: (m) => ui.el("span", { class: m.loss > 0.1 ? "bad" : "warn" }, `−${ui.percent(m.loss)}`) },
        { title: "better", cell: (m) => m.best },
        { title: "expected", wide: true, cell: (m) => m.line.slice(1, 6).join(" ") },
      ], worst, (m) => ({ class: "pick", onclick: () => send({ do: "go", at: m.number - 1 }) })) : ui.el("p", { class: "note" }, state.review.done < state.review.total ? "Searching …" : "No mistake above 2% was found."));
    }
  }

  addEventListener("keydown", (event) => {
    if (["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName) || !state) return;
    const move = { ArrowLeft: -1, ArrowRight: 1, Home: -1e6, End: 1e6 }[event.key];
    if (move) { send({ do: "go", at: Math.max(0, Math.min(state.table.moves.length, state.table.at + move)) }); event.preventDefault(); }
  });
  const stream = new EventSource("/api/events");
  stream.onmessage = (event) => { state = JSON.parse(event.data); link.textContent = ""; draw(); };
  stream.onerror = () => { link.textContent = "○ no connection: is semeai play still running?"; };
})();
