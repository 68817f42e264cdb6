"use strict";
// The dashboard: one stream of events for the page that is shown. #/run/3 is the run with number 3.
(function () {
  const main = document.getElementById("page"), place = ui.el("div"), status = ui.el("span", { class: "faint", role: "status" }), problem = ui.el("p", { class: "says problem", hidden: true });
  const where = ui.el("span", { class: "faint where" }), up = ui.el("a", { href: "#/", hidden: true }, "← all runs");
  let stream = null, view = null, page = null;
  ui.add(main, [ui.el("div", { class: "top" }, ui.el("a", { href: "#/", class: "mark" }, ui.el("span", {}, "semeai"), " dashboard"), up, ui.el("span", { class: "grow" }), where, status), problem, place]);

  async function ask(path) {
    const answer = await fetch(path), found = await answer.json();
    if (!answer.ok) throw new Error(found.error);
    return found;
  }

  // Why the server refused a stream, which a stream itself does not tell.
  async function refusal(path) {
    const asked = new AbortController();
    try {
      const answer = await fetch(path, { signal: asked.signal });
      if (!answer.ok) return (await answer.json()).error;
    } catch { /* told below */ } finally { asked.abort(); }
    return "the stream of events ended: load the page again";
  }

  const guarded = (action) => async (...values) => {
    try { return await action(...values); } catch (error) { say(error.message); return null; }
  };
  function say(text) { problem.hidden = !text; ui.fill(problem, text); }

  function apiOf(key) {
    return {
      live: true,
      curves: guarded(async (numbers) => ask(`/api/run/${key}/curves?numbers=${numbers.join(",")}`)),
      params: guarded(async (n) => ask(`/api/run/${key}/params/${n}`)),
      games: guarded(async (from) => ask(`/api/run/${key}/games/${from}`)),
      game: guarded(async (n) => ask(`/api/run/${key}/game/${n}`)),
      link: (name, label, otherwise = label) => {
        const part = (page.parts || []).find((p) => p.name === name);
        return part ? ui.el("a", { href: `#/run/${part.key}` }, label) : document.createTextNode(otherwise);
      },
    };
  }

  function show(key, found) {
    if (key === null) {
      where.textContent = found.ledger;
      ui.fill(place, ui.runList(found.runs, (run) => `#/run/${run.key}`));
      page = found;
      return;
    }
    if (found.data.partial) {
      const rows = page.data.candidates;
      for (const row of found.data.candidates || []) rows[row[0] - 1] = row;
      found.data = { ...page.data, ...found.data, ...(rows ? { candidates: rows } : {}) };
    }
    page = found;
    if (view) { view.update(found); return; }
    where.textContent = found.ledger;
    document.title = `${found.name} · semeai`;
    view = ui.runView(found, apiOf(key));
    ui.fill(place, view.node);
  }

  function open() {
    if (stream) stream.close();
    const found = /^#\/run\/(\d+)$/.exec(location.hash), key = found ? found[1] : null;
    view = page = null;
    up.hidden = key === null;
    document.title = "semeai dashboard";
    say("");
    ui.fill(place, ui.el("p", { class: "faint" }, "Reading the ledger …"));
    stream = new EventSource(key === null ? "/api/events" : `/api/events?run=${key}`);
    stream.onmessage = (event) => { status.textContent = "● live"; show(key, JSON.parse(event.data)); };
    stream.addEventListener("problem", (event) => say(JSON.parse(event.data).error));
    stream.onerror = () => {
      status.textContent = "○ no connection";
      if (page === null && stream.readyState === EventSource.CLOSED) refusal(stream.url).then((words) => { say(words); ui.fill(place); });
    };
    scrollTo(0, 0);
  }
  addEventListener("hashchange", open);
  setInterval(() => { if (page) { if (view) view.tick(); else if (page.runs) show(null, page); } }, 5000);
  open();
})();
