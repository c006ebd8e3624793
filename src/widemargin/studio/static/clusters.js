// Before there are labels: groups of similar rows to name.

import { picture } from "./card.js";
import { find, make, whole } from "./dom.js";

export function askForGroups(app) {
  const dialog = find("clusters");
  const number = make("input", { id: "n-classes", type: "number", min: 2, max: 50, value: 5 });
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
      const n = 2 * Math.min(Math.max(Number(number.value) || 5, 2), 50);
      show(app, await app.get(`/api/clusters?n=${n}`));
    } catch (error) {
      start.textContent = error.message;
    }
  });
  find("clusters-body").replaceChildren(form);
  if (!dialog.open) dialog.showModal();
}

function group(line, i) {
  const kept = new Set(line.rows.map((row) => row.row));
  const isTexts = !line.rows[0].image;
  const examples = line.rows.map((row) => {
    const button = make("button", { type: "button", "aria-pressed": "true", title: "Leave out if it does not belong here",
      "aria-label": `Row ${row.row + 1} belongs to group ${i + 1}` },
    row.image ? picture(row.row, "small", "") : row.text || `Row ${whole(row.row + 1)}`);
    button.addEventListener("click", () => {
      if (!kept.delete(row.row)) kept.add(row.row);
      button.setAttribute("aria-pressed", String(kept.has(row.row)));
    });
    return button;
  });
  const name = make("input", { id: `group-${i}`, list: "names", maxlength: 200, placeholder: "Name, or leave empty", autocomplete: "off" });
  const element = make("div", { class: "group", role: "group", "aria-label": `Group ${i + 1}` },
    make("label", { for: `group-${i}` }, make("h3", {}, `Group ${i + 1}, ${whole(line.size)} rows`)),
    make("div", { class: isTexts ? "examples texts" : "examples" }, ...examples), name);
  return { element, name, kept };
}

function show(app, lines) {
  const dialog = find("clusters");
  const groups = lines.map(group);
  const names = make("datalist", { id: "names" });
  const refresh = () => {
    const known = new Set([...app.labels.classes, ...groups.map((g) => g.name.value.trim())]);
    names.replaceChildren(...[...known].filter(Boolean).map((value) => make("option", { value })));
  };
  groups.forEach((g) => g.name.addEventListener("change", refresh));
  refresh();
  const form = make("form", {},
    make("p", { class: "note" }, "Type a name for each group; groups of the same class get the same name. Click on rows that do not belong. Leave a mixed group empty."),
    names, make("div", { class: "groups" }, ...groups.map((g) => g.element)),
    make("div", { class: "foot" }, make("button", { type: "submit", class: "primary", id: "use-names" }, "Use these names"),
      make("button", { type: "button", onclick: () => dialog.close() }, "Cancel")));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const named = groups.filter((g) => g.name.value.trim() && g.kept.size);
    named.sort((a, b) => a.name.value.localeCompare(b.name.value, undefined, { numeric: true }));
    dialog.close();
    for (const g of named) await app.label([...g.kept], g.name.value.trim(), "cluster");
    await app.next();
  });
  find("clusters-body").replaceChildren(form);
  groups[0]?.name.focus();
}
