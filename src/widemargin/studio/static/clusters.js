// Before there are labels: groups of similar rows to name.

import { picture } from "./card.js";
import { find, make, visible, whole } from "./dom.js";

export function askForGroups(app) {
  const dialog = find("clusters");
  dialog.oncancel = null;
  const known = app.nExpected ?? (app.labels.classes.length || 5);
  const number = make("input", { id: "n-classes", type: "number", min: 2, max: 50, value: Math.min(Math.max(known, 2), 50) });
  const start = make("button", { type: "submit", class: "primary", id: "show-groups" }, "Show groups");
  const form = make("form", {},
    make("p", { class: "note" }, "Rows that look alike are shown in groups, about two for each class. Give the groups names, and the model starts from there."),
    make("div", { class: "field" }, make("label", { for: "n-classes" }, "About how many classes do you expect?"), number),
    make("div", { class: "foot" }, start,
      make("button", { type: "button", id: "row-by-row", onclick: () => dialog.close() }, "Label row by row instead")));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    start.disabled = true;
    start.textContent = "Looking for groups …";
    try {
      app.nExpected = Math.min(Math.max(Number(number.value) || 5, 2), 50);
      show(app, await app.get(`/api/clusters?n=${2 * app.nExpected}`));
    } catch (error) {
      start.textContent = error.message;
    }
  });
  find("clusters-body").replaceChildren(form);
  if (!dialog.open) dialog.showModal();
  number.focus();
  number.select(); // a digit that is typed replaces the proposal
}

// The class of the examples if most of them were labeled before, and all of these the same.
function nameBefore(rows, labelOf) {
  const labels = rows.map(labelOf).filter((label) => label !== undefined);
  return 2 * labels.length > rows.length && new Set(labels).size === 1 ? labels[0] : "";
}

function group(line, i, labelOf) {
  const rows = line.rows.map((row) => row.row);
  const before = nameBefore(rows, labelOf);
  const kept = new Set(before ? rows.filter((row) => labelOf(row) === before) : rows);
  const isTexts = !line.rows[0].image;
  const examples = line.rows.map((row) => {
    // a picture has a name, a text is its own
    const button = make("button", { type: "button", "aria-pressed": String(kept.has(row.row)), title: "Leave out if it does not belong here",
      "aria-label": row.image ? `Row ${row.row + 1} belongs to group ${i + 1}` : null },
    row.image ? picture(row.row, "small", "") : make("span", { class: "what", dir: "auto" }, visible(row.text) || `Row ${whole(row.row + 1)}`));
    button.addEventListener("click", () => {
      if (!kept.delete(row.row)) kept.add(row.row);
      button.setAttribute("aria-pressed", String(kept.has(row.row)));
    });
    return button;
  });
  const name = make("input", { id: `group-${i}`, list: "names", maxlength: 200, placeholder: "Name, or leave empty", autocomplete: "off", value: before });
  const element = make("div", { class: "group", role: "group", "aria-label": `Group ${i + 1}` },
    make("label", { for: `group-${i}` }, make("h3", {}, `Group ${i + 1}, ${whole(line.size)} rows`)),
    make("div", { class: isTexts ? "examples texts" : "examples" }, ...examples), name,
    kept.size < rows.length ? make("p", { class: "note" }, `Crossed out: rows without the label ${before}. Click on a row to add it.`) : null);
  return { element, name, kept, before };
}

function show(app, lines) {
  const dialog = find("clusters");
  const labelOf = (row) => app.labels.classes[app.map.labels.get(row)];
  const groups = lines.map((line, i) => group(line, i, labelOf));
  const names = make("datalist", { id: "names" });
  const refresh = () => {
    const known = new Set([...app.labels.classes, ...groups.map((g) => g.name.value.trim())]);
    names.replaceChildren(...[...known].filter(Boolean).map((value) => make("option", { value })));
  };
  const warning = make("strong", { role: "alert" });
  dialog.oncancel = (event) => { // by Esc
    const n = groups.filter((g) => g.name.value.trim() !== g.before).length;
    if (!n || warning.textContent) return;
    event.preventDefault();
    warning.textContent = `${n === 1 ? "A name is" : `${n} names are`} not used yet. Press Esc again to discard ${n === 1 ? "it" : "them"}.`;
  };
  groups.forEach((g) => g.name.addEventListener("input", () => { warning.textContent = ""; }));
  groups.forEach((g) => g.name.addEventListener("change", refresh));
  refresh();
  const form = make("form", {},
    make("p", { class: "note" }, "Type a name for each group; groups of the same class get the same name. Click on rows that do not belong. Leave a mixed group empty."),
    make("p", { class: "note" }, "A name labels the rows shown here (up to six per group), not the whole group."),
    names, make("div", { class: "groups" }, ...groups.map((g) => g.element)),
    make("div", { class: "foot" }, make("button", { type: "submit", class: "primary", id: "use-names" }, "Use these names"),
      make("button", { type: "button", onclick: () => dialog.close() }, "Cancel"), warning,
      make("span", { class: "note keys" }, make("kbd", {}, "Enter"), " next group, ", make("kbd", {}, "Ctrl+Enter"), " use these names")));
  groups.forEach((g, i) => g.name.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return; // Enter may end the input of a character
    const next = groups[i + 1]?.name;
    if (event.ctrlKey || event.metaKey) form.requestSubmit();
    else if (next) { next.focus(); next.select(); } else return; // in the last field, the form is sent
    event.preventDefault();
  }));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const named = groups.filter((g) => g.name.value.trim() && g.kept.size);
    named.sort((a, b) => a.name.value.localeCompare(b.name.value, undefined, { numeric: true }));
    dialog.close();
    for (const g of named) {
      const name = g.name.value.trim();
      const rows = [...g.kept].filter((row) => labelOf(row) !== name);
      if (rows.length) await app.label(rows, name, "cluster");
    }
    await app.next();
  });
  find("clusters-body").replaceChildren(form);
  groups[0]?.name.focus();
}
