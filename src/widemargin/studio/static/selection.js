// Rows that were selected on the map or by a search: what they are, before all get a label.

import { picture, sortColumns } from "./card.js";
import { color } from "./colors.js";
import { isTouch, make, visible, whole } from "./dom.js";

const N_PICTURES = 12;
const N_TEXTS = 4;
const N_COUNTS = 8;

// Some of the rows, evenly over the list.
function sample(rows, n) {
  const step = Math.max(rows.length / n, 1);
  return Array.from({ length: Math.min(n, rows.length) }, (_, i) => rows[Math.floor(i * step)]);
}

// How many rows each class has, the largest number first.
function counts(codes, classes) {
  const found = new Map();
  for (const code of codes) if (code < classes.length) found.set(code, (found.get(code) ?? 0) + 1);
  return [...found].sort((a, b) => b[1] - a[1]);
}

function listCounts(title, found, classes) {
  const shown = found.slice(0, N_COUNTS);
  const parts = shown.flatMap(([code, n]) => [" ", make("span", { class: "one" }, make("span", { class: "dot", color: color(code) }), `${classes[code]}: ${whole(n)}`)]);
  const more = found.slice(N_COUNTS).reduce((sum, [, n]) => sum + n, 0);
  return make("p", { class: "counts" }, title, ...parts, more ? ` and ${whole(more)} of other classes` : null);
}

function brief(card) {
  const text = card.text ?? sortColumns(card.columns).map((cell) => cell.value).filter(Boolean).join(", ");
  return visible(text.slice(0, 160));
}

export async function showSelection(place, app, rows, cancel) {
  const { classes } = app.labels;
  const labeled = rows.filter((row) => app.map.labels.has(row));
  const others = rows.filter((row) => !app.map.labels.has(row));
  const n = labeled.length;
  const parts = [make("p", {}, make("strong", {}, `${whole(rows.length)} ${rows.length === 1 ? "row" : "rows"} selected.`),
    " Choose a class for all of them. ", make("button", { type: "button", class: "plain", onclick: cancel }, isTouch ? "Cancel" : "Cancel (Esc)"))];
  if (n) {
    parts.push(listCounts(`${whole(n)} ${n === 1 ? "has a label, which" : "have labels, which"} will be replaced:`,
      counts(labeled.map((row) => app.map.labels.get(row)), classes), classes));
  }
  const predicted = counts(others.map((row) => app.map.codes[row]), classes);
  if (predicted.length) parts.push(listCounts("Predicted:", predicted, classes));
  const examples = make("div", { class: app.info.has_images ? "examples" : "examples texts" });
  const shown = sample(rows, app.info.has_images ? N_PICTURES : N_TEXTS);
  if (rows.length > shown.length) parts.push(make("p", { class: "note" }, `${shown.length} of them:`));
  place.replaceChildren(...parts, examples);
  if (app.info.has_images) {
    examples.append(...shown.map((row) => picture(row, "small", `Row ${row + 1}`)));
    return;
  }
  const cards = await Promise.all(shown.map((row) => app.get(`/api/row/${row}`)));
  examples.append(...cards.map((card) => make("p", {}, make("strong", {}, `Row ${whole(card.row + 1)}`), " · ", make("bdi", {}, brief(card)))));
}
