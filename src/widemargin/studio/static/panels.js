// How good the model is, what to look at again, and what to take home.

import { color } from "./colors.js";
import { rowButton } from "./card.js";
import { draw, find, make, percent, probable, replace, toast, whole } from "./dom.js";

function curve(points) {
  const [width, height, left, low] = [400, window.innerHeight > 850 ? 112 : 84, 34, 18];
  const most = Math.max(...points.map((p) => p[0]), 10);
  const top = Math.min(1, Math.max(0.1, ...points.map((p) => p[1] + p[2])) * 1.05);
  const x = (n) => left + ((width - left - 6) * n) / most;
  const y = (e) => height - low - ((height - low - 8) * Math.min(Math.max(e, 0), top)) / top;
  const line = (pairs) => pairs.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" L ");
  const up = points.map(([n, e, s]) => [n, e + s]);
  const down = points.map(([n, e, s]) => [n, e - s]).reverse();
  const picture = draw("svg", { viewBox: `0 0 ${width} ${height}`, class: "curve", role: "img",
    "aria-label": `Estimated error after 1 to ${most} labels` });
  for (const share of [0, top / 2, top]) {
    picture.append(draw("line", { class: "axis", x1: left, x2: width, y1: y(share), y2: y(share) }));
    const label = draw("text", { x: left - 5, y: y(share) + 4, "text-anchor": "end" });
    label.textContent = `${Math.round(100 * share)}%`;
    picture.append(label);
  }
  const end = draw("text", { x: width - 4, y: height - 3, "text-anchor": "end" });
  end.textContent = `${whole(most)} labels`;
  const begin = draw("text", { x: left, y: height - 3 });
  begin.textContent = "0";
  picture.append(begin, end);
  if (points.length > 1) {
    picture.append(draw("path", { class: "band", d: `M ${line([...up, ...down])} Z` }));
    picture.append(draw("path", { class: "line", d: `M ${line(points)}` }));
  }
  const [n, e] = points.at(-1);
  picture.append(draw("circle", { cx: x(n), cy: y(e), r: 4, fill: "var(--accent)" }));
  return picture;
}

export function showQuality({ curve: all, ...model }, labels, streak = 0) {
  const known = all.filter(([n]) => n <= model.labels); // the others were undone
  const parts = [];
  if (model.status === "failed") parts.push(make("p", {}, `There is no model: ${model.problem}`));
  else if (model.status === "preparing") {
    parts.push(make("h3", {}, "Preparing the model"), make("p", { class: "note" }, "You can start labeling."));
  } else if (model.error === null) {
    parts.push(make("h3", {}, "Estimated error"), make("p", { class: "note" },
      labels.classes.length < 2 || model.status !== "ready"
        ? "Label rows of two classes to get predictions for all other rows." : "More labels are needed to estimate it."));
  } else {
    const { stage, n_missing: missing, text } = model.shown_error;
    parts.push(make("h3", {}, "Estimated error on unlabeled rows"), make("p", { class: "figure" }, text));
    const held = `${whole(model.random)} ${model.random === 1 ? "label" : "labels"} of random rows`;
    if (stage === "unknown") {
      parts.push(make("p", { class: "note basis" }, `${model.random ? held : "No label of a random row"} so far; ${missing} more ${missing === 1 ? "is" : "are"} needed.`),
        make("p", { class: "note" }, "Go on with the proposed rows: every fifth is drawn at random, to estimate the error."));
    } else {
      parts.push(make("p", { class: "note basis" }, `From ${held}${model.random < model.labels ? " and the predicted probabilities" : ""}.`));
      if (known.length) parts.push(curve(known));
      parts.push(make("p", { class: "note" }, stage === "bound"
        ? "The figure is the estimate plus one standard error, the upper edge of the band." : "The band is one standard error."));
    }
  }
  if (streak >= 10) parts.push(make("p", { class: "note" }, `The last ${streak} proposed rows had the predicted class.`));
  find("quality").replaceChildren(...parts);
}

export function showLegend(app) {
  const { labels, model } = app;
  const list = labels.classes.map((name, code) => {
    const share = model.shares?.[code];
    const isOnly = app.map.only === code;
    return make("li", {}, make("button", {
      type: "button", "aria-pressed": String(isOnly),
      title: `${share === undefined ? "" : `${percent(share)} of all rows are labeled or predicted ${name}. `}Press to see only these on the map.`,
      onclick: () => { app.map.only = isOnly ? -1 : code; app.map.ask(); showLegend(app); },
    }, make("span", { class: "dot", color: color(code) }), make("span", { class: "name" }, name),
    share === undefined ? null : make("span", { class: isOnly ? "" : "share" }, percent(share))));
  });
  replace(find("legend"), ...list);
}

export async function showReview(app) {
  const place = find("view-review");
  const { lines, people } = await app.get("/api/review");
  app.reviewed = lines;
  const parts = [make("h2", {}, "Labels to review")];
  parts.push(make("p", { class: "note" }, lines.length
    ? "The other labels contradict these. Open one, then choose its label to keep it, or another class."
    : "No label contradicts the others."));
  parts.push(make("ul", { class: "rows" }, ...lines.map((line) => rowButton(line, line.why,
    () => app.review(line.row)))));
  for (const pair of people) {
    parts.push(make("div", { class: "block" }, make("h3", {}, `${pair.people[0]} and ${pair.people[1]}`),
      make("p", {}, `${pair.same} of ${pair.rows} rows have the same label. `,
        pair.kappa === null ? "" : `Cohen's kappa ${pair.kappa.toFixed(2)}.`)));
  }
  parts.push(make("div", { class: "block" }, make("h3", {}, "A second opinion"),
    make("p", { class: "note" }, "Label rows of other people without seeing their labels, to measure your agreement."),
    make("div", { class: "line" }, make("button", { type: "button", onclick: () => app.second() }, "Label rows of others"))));
  place.replaceChildren(...parts);
}

export async function search(app) {
  const words = encodeURIComponent(find("words").value);
  const show = encodeURIComponent(find("show").value);
  const { rows, listed } = await app.get(`/api/search?words=${words}&show=${show}`);
  if (app.view === "search") {
    app.map.found = new Set(rows.length < app.info.rows ? rows : []);
    app.map.ask();
  }
  const place = find("found");
  place.replaceChildren(`${whole(rows.length)} ${rows.length === 1 ? "row" : "rows"} `);
  if (rows.length) {
    place.append(make("button", { type: "button", class: "plain", onclick: () => app.select(rows) }, "Select all on the map"));
  }
  find("hits").replaceChildren(...listed.map((line) => {
    const sure = line.label === null ? "no prediction" : line.labeled ? `labeled ${line.label}` : `${line.label}, ${probable(line.certainty)}`;
    return rowButton(line, sure, () => app.open(line.row, "search", "You searched for it."));
  }));
}

export function showFilters(classes) {
  const select = find("show");
  const before = select.value || "all";
  const plain = { all: "all rows", unlabeled: "rows without a label", labeled: "labeled rows", uncertain: "uncertain predictions" };
  select.replaceChildren(...Object.entries(plain).map(([value, text]) => make("option", { value }, text)),
    ...classes.map((name) => make("option", { value: `class:${name}` }, `class ${name}`)));
  select.value = before;
  if (!select.value) select.value = "all"; // the class was removed
}

// A report as text that wraps; lines of aligned cells, which must not, become a table.
function report(text) {
  const parts = text.split("\n\n").map((part) => {
    const lines = part.split("\n").map((line) => line.split(/ {2,}/));
    const isTable = lines[0].length > 1 && lines.every((cells) => cells.length === lines[0].length);
    if (!isTable) return make("p", {}, part);
    const row = (cells, tag, facts) => make("tr", {}, ...cells.map((cell) => make(tag, facts, cell)));
    return make("table", {}, row(lines[0], "th", { scope: "col" }), ...lines.slice(1).map((cells) => row(cells, "td")));
  });
  return make("div", { class: "report", tabindex: 0, role: "group", "aria-label": "Report" }, ...parts);
}

function fullFit(app) {
  const { full } = app.model;
  const isRunning = full.status === "running";
  const hasTwo = new Set(app.labels.codes).size > 1;
  const canFit = hasTwo && !isRunning;
  const block = make("div", { class: "block" }, make("h2", {}, "Model"),
    make("p", { class: "note" }, "The full model averages more candidates than the live one, and is what a model file holds. It is fitted in the background; you can go on labeling."),
    make("div", { class: "line" },
      make("button", { type: "button", class: full.status === "done" && full.is_current ? null : "primary", id: "fit", disabled: !canFit, onclick: () => app.fit() },
        isRunning ? "Fitting …" : full.status === "done" ? "Fit again" : "Fit the full model"),
      full.status === "done" ? make("a", { class: full.is_current ? "button primary" : "button", href: "/api/export/model", id: "get-model", download: true }, "Model file (.wm)") : null),
    hasTwo ? null : make("p", { class: "note" }, "Label rows of two classes first."));
  if (isRunning) block.append(make("pre", { tabindex: 0, "aria-label": "Progress" }, full.lines.join("\n") || "Starting …"));
  if (full.status === "failed") block.append(make("p", {}, `The fit failed: ${full.problem}`));
  if (full.status === "done") {
    const error = full.report.shown_error.text;
    const live = app.model.shown_error.text;
    block.append(make("p", {}, `Estimated error of the full model: ${error}. Estimated error of the live model: ${live}.`));
    if (!full.is_current) block.append(make("p", { class: "note" }, "Labels have changed since this fit."));
    block.append(make("p", { class: "note" }, app.info.model_use));
    block.append(report(full.report.text));
  }
  return block;
}

function unusedClasses(app) {
  const used = new Set(app.labels.codes);
  const unused = app.labels.classes.filter((_, code) => !used.has(code));
  if (!unused.length) return null;
  const remove = (name) => app.removeClass(name).catch((error) => toast(error.message));
  return make("div", { class: "block", id: "unused" }, make("h2", {}, "Classes without a label"),
    ...unused.map((name) => make("div", { class: "line" }, make("button", { type: "button", onclick: () => remove(name) }, `Remove ${name}`))));
}

export function showResults(app) {
  const file = (what, id, text) => make("a", { class: "button", href: `/api/export/${what}`, id, download: true }, text);
  const name = make("input", { id: "who", maxlength: 200, value: app.here.who, autocomplete: "off" });
  name.addEventListener("change", () => app.rename(name.value));
  replace(find("view-results"),
    make("div", { class: "block" }, make("h2", {}, "Labels and predictions"),
      make("p", { class: "note" }, "All columns, with label, prediction, probability, and whether the label was given, made here, or inferred."),
      make("div", { class: "line" }, file("table", "get-table", "Labeled table (.csv)"), file("history", "get-history", "History (.csv)")),
      make("p", { class: "note" }, `Every label is kept in ${app.info.store}. ${app.info.is_file ? "Run the same command" : "Call widemargin.label with the same rows"} again to continue.`)),
    fullFit(app),
    ...[unusedClasses(app)].filter(Boolean),
    make("div", { class: "block" }, make("h2", {}, "People and windows"),
      make("div", { class: "field" }, make("label", { for: "who" }, "Your name, kept with your labels"), name),
      make("div", { class: "line" }, make("button", { type: "button", onclick: () => app.link() }, "Link for another browser"))),
    make("div", { class: "block" }, make("h2", {}, "Groups of similar rows"),
      make("p", { class: "note" }, "Label a few rows of each group at once, by a name for the group."),
      make("div", { class: "line" }, make("button", { type: "button", id: "name-groups", onclick: () => app.nameGroups() }, "Name groups"))),
    make("div", { class: "block" }, make("h2", {}, "Input"), make("p", { class: "note" },
      `${app.info.is_file ? `${app.info.name}: ${whole(app.info.rows)} rows` : `${whole(app.info.rows)} rows from Python`}. ${app.info.note}`.trim())),
    make("div", { class: "block" }, make("div", { class: "line" },
      make("button", { type: "button", id: "finish", onclick: () => app.finish() }, "Done: stop the program"))));
}
