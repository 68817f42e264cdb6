"use strict";
// Small helpers. Text of a ledger is only ever set as text, never as HTML.
const ui = {};

ui.el = function (tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked") made[name] = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  ui.add(made, children);
  return made;
};

ui.add = function (parent, children) {
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return parent;
};

ui.svg = function (tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
  return ui.add(made, children);
};

ui.fill = function (parent, ...children) {
  parent.replaceChildren();
  return ui.add(parent, children);
};

ui.card = (title, ...children) => ui.el("section", { class: "card" }, title && ui.el("h2", {}, title), children);
ui.count = (n) => (n === null || n === undefined ? "" : Math.round(n).toLocaleString("en"));
ui.percent = (x, digits = 1) => (x === null || x === undefined ? "" : (100 * x).toFixed(digits) + "%");
ui.signed = (x) => (x === null || x === undefined ? "∞" : (x > 0 ? "+" : x < 0 ? "−" : "") + Math.abs(Math.round(x)));
ui.range = (ends, digits = 1) => (ends ? `${ui.percent(ends[0], digits)} to ${ui.percent(ends[1], digits)}` : "");
ui.badge = (state) => ui.el("span", { class: `badge ${/^[a-z]+$/.test(state) ? state : ""}` }, state);
ui.tile = (label, value, style) => ui.el("div", { class: "tile" }, ui.el("b", { class: style }, value), ui.el("span", {}, label));
ui.colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
ui.SERIES = ["#3b78b8", "#c8723a", "#4c9a63", "#a05fb5", "#b99a2b", "#3aa0a4", "#c4567c", "#7a7f88"];

ui.ago = function (when) {
  if (!when) return "";
  const seconds = Math.max(0, (Date.now() - Date.parse(when)) / 1000);
  if (seconds < 90) return `${Math.round(seconds)} s ago`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min ago`;
  return seconds < 172800 ? `${Math.round(seconds / 3600)} h ago` : `${Math.round(seconds / 86400)} days ago`;
};

// A time of the ledger (UTC) in the reader's own time zone.
ui.moment = function (when, short = false) {
  const at = new Date(when), two = (n) => String(n).padStart(2, "0");
  if (!when || Number.isNaN(at.getTime())) return when || "";
  const day = `${two(at.getMonth() + 1)}-${two(at.getDate())}`, time = `${two(at.getHours())}:${two(at.getMinutes())}`;
  return short ? `${day} ${time}:${two(at.getSeconds())}` : `${at.getFullYear()}-${day} ${time}`;
};

// A table: columns are {title, number, wide, cell(row) -> text or nodes}.
ui.table = function (columns, rows, attributes) {
  const kind = (c) => [c.number && "number", c.wide && "wide", c.name && "name"].filter(Boolean).join(" ") || null;
  return ui.el("div", { class: "scroll" }, ui.el("table", {},
    ui.el("thead", {}, ui.el("tr", {}, columns.map((c) => ui.el("th", { class: kind(c) }, c.title)))),
    ui.el("tbody", {}, rows.map((row, i) => ui.el("tr", attributes ? keyed(attributes(row, i)) : {},
      columns.map((c) => ui.el("td", { class: kind(c) }, c.cell(row, i))))))));
};

// A row that can be clicked can be reached with the keyboard too.
const keyed = (attributes) => (attributes.onclick ? { tabindex: 0, onkeydown: (e) => { if (e.key === "Enter" && e.target === e.currentTarget) attributes.onclick(); }, ...attributes } : attributes);

// Draw a place anew, and keep the keyboard where it was.
ui.redraw = function (place, draw) {
  const all = () => [...place.querySelectorAll("button, a, [tabindex]")], at = all().indexOf(document.activeElement);
  draw();
  if (at >= 0) (all()[at] || place).focus({ preventScroll: true });
};

// Fill a place only if what it shows has changed: what a reader has opened or scrolled stays as it is.
const shownIn = new WeakMap();
ui.refill = function (place, shown, make) {
  const names = () => [...place.querySelectorAll("summary")].map((s, i) => [`${i} ${s.textContent}`, s.parentNode]);
  const text = JSON.stringify(shown), open = new Set(names().filter(([, node]) => node.open).map(([name]) => name));
  if (shownIn.get(place) === text) return;
  shownIn.set(place, text);
  ui.fill(place, make());
  for (const [name, node] of names()) node.open = open.has(name);
};

ui.plainTable = function (columns, rows) {
  const isNumber = columns.map((_, i) => rows.length > 0 && rows.every((row) => typeof row[i] === "number" || row[i] === null));
  const shown = (x) => (typeof x === "number" ? (Number.isInteger(x) ? ui.count(x) : String(+x.toPrecision(4))) : x ?? "");
  return ui.table(columns.map((title, i) => ({ title, number: isNumber[i], cell: (row) => shown(row[i]) })), rows);
};

ui.pairs = (rows) => ui.el("table", { class: "pairs" }, ui.el("tbody", {}, rows.map(([name, value]) => ui.el("tr", {}, ui.el("th", {}, name), ui.el("td", { class: "name" }, value ?? "")))));

ui.settings = (title, value) => ui.el("details", {}, ui.el("summary", {}, title), ui.el("pre", {}, JSON.stringify(value, null, 2)));
