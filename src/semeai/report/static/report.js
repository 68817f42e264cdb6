"use strict";
// The report: draw the data that stands in the page.
(function () {
  const data = JSON.parse(document.getElementById("data").textContent), main = document.getElementById("page");
  const place = (name) => `run-${data.runs.findIndex((run) => run.name === name)}`;
  ui.add(main, [ui.el("div", { class: "top" }, ui.el("span", { class: "mark" }, ui.el("span", {}, "semeai"), " report"), ui.el("span", { class: "grow" }), ui.el("span", { class: "faint" }, data.about.made))]);
  if (data.runs.length > 1) ui.add(main, [ui.card("Contents", ui.el("ul", {}, data.runs.map((run, i) => ui.el("li", {}, ui.el("a", { href: `#run-${i}` }, run.name), ` ${run.data.words[0]}`))))]);
  for (const [i, run] of data.runs.entries()) {
    const api = {
      curves: async (numbers) => Object.fromEntries(numbers.map((n) => [n, (run.curves || {})[n] || { n: [], mean: [], lower: [], upper: [], merit: [], doubt: [] }])),
      params: null,
      game: async (n) => (run.records || {})[n] || null,
      link: (name, label, otherwise = label) => (place(name) === "run--1" ? document.createTextNode(otherwise) : ui.el("a", { href: `#${place(name)}` }, label)),
    };
    const view = ui.runView(run, api);
    view.node.id = `run-${i}`;
    main.append(view.node);
  }
  for (const table of data.tables) {
    ui.add(main, [ui.card(table.title, ui.plainTable(table.columns, table.rows), table.note ? ui.el("p", { class: "note" }, table.note) : null,
      table.charts.map(ui.resultChart))]);
  }
  ui.add(main, [ui.card("How this page was made", ui.pairs(Object.entries(data.about)))]);
})();
