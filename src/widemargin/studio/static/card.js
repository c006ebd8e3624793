// The row that is being labeled.

import { color } from "./colors.js";
import { draw, isTouch, make, probable, replace, visible, whole } from "./dom.js";

export function picture(row, size, alt) {
  const image = make("img", { src: `/api/image/${row}/${size}`, alt, loading: "lazy" });
  image.addEventListener("load", () => {
    const isFine = image.naturalWidth > 64;
    image.classList.toggle("fine", isFine);
    if (isFine && size === "large") document.body.dataset.pictures = "fine";
    if (image.naturalWidth === 1) { // the server cannot read it
      image.replaceWith(make("span", { class: "note" }, size === "large" ? "This file cannot be read as an image." : "?"));
    }
  });
  return image;
}

function strip({ at, means }, classes) {
  const line = draw("svg", { viewBox: "0 0 100 14", preserveAspectRatio: "none", "aria-hidden": "true" });
  line.append(draw("line", { x1: 0, x2: 100, y1: 7, y2: 7, stroke: "currentColor", "stroke-opacity": 0.2 }));
  means.forEach((mean, code) => {
    if (mean === null || code >= classes.length) return;
    line.append(draw("line", { x1: 100 * mean, x2: 100 * mean, y1: 2, y2: 12, stroke: color(code), "stroke-width": 2.5 }));
  });
  line.append(draw("line", { x1: 100 * at, x2: 100 * at, y1: 0, y2: 14, stroke: "currentColor", "stroke-width": 1.6 }));
  return line;
}

const LONG = 60; // characters of a text that needs the whole width
const LONGEST_NAME = 16; // characters of the name of a column before it is wrapped
const long = new Set(); // names of columns with such texts: these come first, in all rows

export function sortColumns(cells) {
  for (const { name, value, means } of cells) if (!means && value.length > LONG) long.add(name);
  return [...cells].sort((a, b) => long.has(b.name) - long.has(a.name));
}

function columns(card, classes) {
  const table = make("table", { class: "columns" });
  const hasStrips = card.columns.some((cell) => cell.means);
  const cells = sortColumns(card.columns);
  const names = cells.filter(({ name }) => !long.has(name)).map(({ name }) => visible(name).length);
  table.style.setProperty("--names", Math.min(Math.max(0, ...names), LONGEST_NAME) + 1);
  table.append(make("colgroup", {}, make("col", { class: "names" }), make("col"), hasStrips ? make("col", { class: "strips" }) : null));
  for (const cell of cells) {
    const value = make("bdi", {}, visible(cell.value));
    if (long.has(cell.name)) {
      const title = make("div", { class: "long-name" }, visible(cell.name));
      table.append(make("tr", {}, make("td", { colspan: hasStrips ? 3 : 2, class: "long-text" }, title, value)));
      continue;
    }
    const isWide = hasStrips && !cell.means; // a text takes the place of the marks
    const line = make("tr", {}, make("th", { scope: "row" }, visible(cell.name)), make("td", { colspan: isWide ? 2 : null }, value));
    if (cell.means) line.append(make("td", { class: "strip" }, strip(cell, classes)));
    table.append(line);
  }
  if (hasStrips) table.append(make("caption", { class: "hidden" }, "Values; colored marks are means of the classes"));
  return table;
}

function likely(card, classes) {
  const list = make("ul", { class: "likely", "aria-label": "Prediction" });
  for (const [name, probability] of card.likely.slice(0, 3)) {
    list.append(make("li", {},
      make("span", { class: "name", title: name }, name),
      make("span", { class: "bar" }, make("i", { color: color(classes.indexOf(name)), "width%": 100 * probability })),
      make("span", { class: "much" }, probable(probability))));
  }
  return list;
}

// The label of a row, or its prediction.
function label(card, classes, clear) {
  const outcome = make("div", { class: "outcome" });
  if (card.label !== null) {
    const [who, , why] = card.by;
    const how = why === "given" ? "in the file" : `by ${who}`;
    outcome.append(make("p", { class: "reason" }, "Labeled ", make("strong", {}, `"${card.label}"`), card.suspect ? ` ${how}; ${card.suspect.why}. ` : ` ${how}. `,
      make("button", { type: "button", class: "plain", id: "clear", onclick: clear }, "Remove label")));
  } else if (card.likely.length) outcome.append(likely(card, classes));
  return outcome;
}

const SURE = 0.9; // probability of the predicted class
let last = null; // the card that is shown

export function showCard(place, { card, text, text_if_sure: other }, classes, isBlind, { stop, clear } = {}) {
  const isSure = card.likely[0]?.[1] >= SURE; // by the bars below, which follow the model
  const reason = isSure && other ? other : text;
  const title = make("p", { class: "reason" }, make("strong", {}, `Row ${whole(card.row + 1)}`), ` · ${reason}`, isBlind ? " " : null,
    isBlind ? make("button", { type: "button", class: "plain", id: "stop", onclick: stop }, isTouch ? "Stop" : "Stop (Esc)") : null);
  const outcome = isBlind ? null : label(card, classes, clear);
  const shape = String(outcome?.querySelectorAll("p, li").length);
  if (outcome && card === last && place.dataset.shape === shape) { // only the prediction is new
    replace(place.firstChild, ...title.childNodes);
    replace(place.querySelector(".outcome"), ...outcome.childNodes);
    return;
  }
  last = card;
  const parts = [title];
  if (card.image && !card.unreadable) parts.push(make("div", { class: "picture" }, picture(card.row, "large", `Picture of row ${card.row + 1}`)));
  if (card.unreadable) parts.push(make("p", { class: "note" }, `${card.unreadable} It cannot be labeled.`));
  if (card.text !== undefined) {
    const shown = visible(card.text) + (card.cut ? ` … (${whole(card.cut)} more characters)` : "");
    parts.push(make("div", { class: "words", dir: "auto", tabindex: 0, role: "group", "aria-label": "Text" }, shown || "(empty)"));
  }
  if (card.columns.length) {
    const hasMarks = card.columns.some((cell) => cell.means?.some((mean) => mean !== null));
    parts.push(make("div", { class: "list", tabindex: 0, role: "group", "aria-label": "Columns" }, columns(card, classes),
      hasMarks ? make("p", { class: "note" }, "Thin mark: this row. Colored marks: means of the classes.") : null));
  }
  if (card.n_columns > card.columns.length) {
    parts.push(make("p", { class: "note" }, `${card.columns.length} of ${whole(card.n_columns)} columns, the most unusual ones.`));
  }
  if (outcome) parts.push(outcome);
  place.dataset.shape = shape;
  const before = [...place.querySelectorAll(".list, .words")].map((box) => box.scrollTop);
  replace(place, ...parts);
  const boxes = place.querySelectorAll(".list, .words, .picture");
  setHeights(place, boxes);
  const isSame = place.dataset.row === String(card.row); // only the prediction is new
  if (isSame) place.querySelectorAll(".list, .words").forEach((box, i) => { box.scrollTop = before[i] ?? 0; });
  place.dataset.row = card.row;
}

// Boxes are as tall as their content, or as the panel allows. The buttons below stay in
// place: the card keeps the height of the tallest row so far.
function setHeights(place, boxes) {
  place.style.flexBasis = "auto"; // now each box has its least height
  for (const box of boxes) if (!box.matches(".picture")) box.style.setProperty("--content", `${box.scrollHeight}px`);
  const hidden = [...boxes].map((box) => Math.max(parseFloat(getComputedStyle(box).maxHeight) - box.offsetHeight, 0));
  const height = place.offsetHeight + hidden.reduce((sum, more) => sum + more, 0);
  const isSame = place.dataset.width === String(place.offsetWidth);
  place.dataset.height = Math.max(height, isSame ? Number(place.dataset.height) || 0 : 0);
  place.dataset.width = place.offsetWidth;
  place.style.flexBasis = `${place.dataset.height}px`;
}

export function rowButton(line, facts, onclick) {
  return make("li", {}, make("button", { type: "button", onclick },
    line.image ? picture(line.row, "small", "") : null,
    make("span", { class: "what" },
      make("span", {}, `Row ${whole(line.row + 1)}${line.text ? " · " : ""}`, make("bdi", {}, visible(line.text))),
      make("span", { class: "more" }, facts.replaceAll(" %", "\u00a0%")))));
}
