// The page: what a person does goes to the server; what changed comes back by the socket.

import * as api from "./api.js";
import { rowButton, showCard } from "./card.js";
import { askForGroups } from "./clusters.js";
import { color } from "./colors.js";
import { find, hush, isTouch, make, percent, probable, replace, toast, visible, whole } from "./dom.js";
import { RowMap } from "./map.js";
import { showSelection } from "./selection.js";
import { search, showFilters, showLegend, showQuality, showResults, showReview } from "./panels.js";

const KEYS = "1234567890qwertyuiopasdfghjklxcvbnm";
const { body } = document;

// The key of each class: its own name if that is a key, otherwise the first that is left.
function keysOf(classes) {
  const own = classes.map((name) => name.toLowerCase()).map((name, i, all) =>
    (name.length === 1 && KEYS.includes(name) && all.indexOf(name) === i ? name : null));
  const left = [...KEYS].filter((key) => !own.includes(key));
  return own.map((key) => key ?? left.shift() ?? "");
}

const nRows = (n) => `${whole(n)} ${n === 1 ? "row" : "rows"}`;

const app = {
  here: api.here,
  get: api.get,
  info: null,
  labels: { classes: [], rows: [], codes: [], place: 0 },
  model: { status: "preparing", curve: [], full: { status: "none" }, suspects: 0, error: null },
  current: null, // { card, why, text }; null if there is none, undefined until the next one is known
  mode: "suggested",
  view: "label",
  wasEmpty: null,
  streak: 0, // proposed rows that got the predicted class, since the last that did not
  reaching: [], // numbers of actions, and what to do when the page was told

  async next() {
    this.show(await api.post("/api/next", { window: api.here.window, who: api.here.who, mode: this.mode }));
  },

  show(proposal) {
    this.current = proposal;
    body.dataset.row = proposal ? proposal.card.row : "";
    this.map.current = proposal ? proposal.card.row : -1;
    const isBlind = this.mode === "second" && proposal !== null;
    this.map.blind = isBlind ? proposal.card.row : -1;
    this.map.ask();
    find("why").classList.toggle("closed", isBlind); // it would tell the label
    if (!proposal) {
      const text = this.mode === "second" ? "No more rows of others." : "All rows are labeled.";
      if (this.mode === "second") this.mode = "suggested";
      find("card").replaceChildren(make("p", { class: "reason" }, text));
    } else this.showRow();
    this.showClasses();
    this.explain();
  },

  showRow() {
    const work = { stop: () => this.endSecond(), clear: () => this.clear().catch((error) => toast(error.message)) };
    showCard(find("card"), this.current, this.labels.classes, this.mode === "second", work);
  },

  async open(row, why, text) {
    if (this.map.selected.size) this.select([]);
    this.mode = "suggested";
    this.turn("label");
    const card = await api.get(`/api/row/${row}`);
    this.show({ card, why, text: typeof text === "function" ? text(card) : text });
    find("view-label").scrollTop = 0;
    if (find("side").getBoundingClientRect().top < 0) find("side").scrollIntoView(); // a narrow window scrolls as a whole
  },

  review(row) {
    return this.open(row, "review", "Choose its label to keep it, or another class.");
  },

  second() {
    this.mode = "second";
    this.turn("label");
    return this.next();
  },

  endSecond() {
    this.mode = "suggested";
    return this.next();
  },

  showClasses() {
    const card = this.mode === "second" || this.map.selected.size ? null : this.current?.card;
    const best = card ? card.suspect?.better ?? card.likely[0]?.[0] : null;
    const own = card?.label ?? null;
    for (const button of find("classes").querySelectorAll("button")) { // they stay, and so does the focus
      const name = button.dataset.class;
      button.classList.toggle("likely-one", name === best && name !== own);
      if (name === own) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
      button.title = name === own ? `${name}: the label of this row` : name === best ? `${name}: the prediction` : name;
    }
  },

  makeClasses() {
    const { classes } = this.labels;
    const keys = keysOf(classes);
    const longest = Math.max(0, ...classes.map((name) => name.length));
    find("classes").classList.toggle("long", longest > 7);
    find("classes").classList.toggle("short", longest <= 3);
    replace(find("classes"), ...classes.map((name, code) => make("button", { type: "button", "data-class": name, onclick: () => this.choose(code) },
      make("span", { class: "dot", color: color(code) }), make("span", { class: "name" }, name),
      keys[code] ? make("kbd", {}, keys[code].toUpperCase()) : null)));
    if (!classes.length) {
      find("classes").append(make("p", { class: "note" }, `Type the name of the first class, then press its ${isTouch ? "button" : "key"} to label this row.`));
    }
    this.showClasses();
  },

  // Label the selection, or the row on the card.
  async choose(code) {
    const name = this.labels.classes[code];
    if (name === undefined) return;
    hush();
    if (this.map.selected.size) { await this.labelSelected(code); return; }
    const shown = this.current;
    if (shown === undefined && body.dataset.online !== "no") toast("That was too quick: the next row was not shown yet, and nothing was labeled. Press again.");
    if (!shown) return;
    this.current = undefined; // a second key must not label a row that nobody has seen
    const { row, version } = shown.card;
    delete body.dataset.answered;
    body.dataset.pressed = String(performance.now());
    if (["suggested", "check"].includes(shown.why)) this.streak = shown.card.likely[0]?.[0] === name ? this.streak + 1 : 0;
    const isKept = shown.why === "review" && this.mode !== "second" && shown.card.label === name;
    await this.label([row], name, shown.why, { [row]: version }, true);
    if (isKept) toast(`Row ${whole(row + 1)} keeps the label ${name}.`);
  },

  async labelSelected(code) {
    const name = this.labels.classes[code];
    const rows = [...this.map.selected];
    const before = new Map(rows.map((row) => [row, this.map.labels.get(row) ?? code]));
    this.select([]);
    const answer = await this.label(rows, name, "map");
    if (!answer) return;
    const nChanged = answer.rows.filter((row) => before.get(row) !== code).length; // without those that cannot be read
    toast(`${nRows(answer.rows.length)} labeled ${name}${nChanged ? `, ${whole(nChanged)} of them relabeled` : ""}.${isTouch ? "" : " Press Z to undo."}`);
    if (this.current && rows.includes(this.current.card.row)) await this.next();
  },

  async label(rows, label, why, seen = null, next = false) {
    const fact = { rows, label, why, seen, next: next && why !== "review", mode: this.mode };
    try {
      const answer = await api.act("label", fact, () => this.offline());
      body.dataset.answered = answer.place;
      if (next && why === "review" && this.mode !== "second") this.nextSuspect(rows[0]);
      else if (next) this.show(why === "review" ? await api.post("/api/next", { window: api.here.window, who: api.here.who, mode: this.mode }) : answer.next);
      return answer;
    } catch (error) {
      toast(error.message);
      if (next) await this.next();
      return null;
    }
  },

  nextSuspect(row) {
    const lines = (this.reviewed ?? []).filter((line) => line.row !== row);
    this.reviewed = lines;
    if (lines.length) this.review(lines[0].row);
    else { this.turn("review"); this.next(); }
  },

  // Take the label of the row on the card away.
  async clear() {
    const { card, why } = this.current;
    hush();
    await api.act("label", { rows: [card.row], label: null, why, seen: { [card.row]: card.version } }, () => this.offline());
    await this.open(card.row, why, "Its label was removed.");
  },

  async removeClass(name) {
    hush();
    await api.act("remove", { label: name }, () => this.offline());
    toast(`The class ${name} was removed.${isTouch ? "" : " Press Z to undo."}`);
  },

  async skip() {
    if (!this.current || this.map.selected.size) return;
    hush();
    const { row } = this.current.card;
    this.current = undefined;
    if (this.mode !== "second") await api.act("skip", { rows: [row] }, () => this.offline());
    await this.next();
  },

  async step(kind) {
    hush();
    this.streak = 0;
    this.select([]);
    const shown = this.current;
    this.current = undefined; // what is told about the row meanwhile is not news of another window
    let answer = { rows: [] };
    try {
      answer = await api.act(kind, {}, () => this.offline());
    } finally {
      if (answer.rows.length !== 1) this.current = shown;
    }
    const { rows, why, place, text } = answer;
    if (text) toast(text); // about a class
    if (rows.length === 1) await this.open(rows[0], why === "given" ? "review" : why, 
      (card) => (kind === "redo" ? "Its label is back." : card.label === null ? "Its label was removed." : "Its earlier label is back."));
    else if (rows.length) {
      await this.reach(place);
      const n = rows.filter((row) => this.map.labels.has(row)).length; // these had a label before
      const removed = n < rows.length ? `the label was removed from ${nRows(rows.length - n)}` : "";
      const restored = n ? `${nRows(n)} ${n === 1 ? "has its" : "have their"} earlier label back` : "";
      toast(kind === "redo" ? `Labeled again: ${nRows(rows.length)}.` : `Undone: ${[removed, restored].filter(Boolean).join("; ")}.`);
    }
  },

  // Wait until the page was told about an action.
  reach(place) {
    if (this.labels.place >= place) return Promise.resolve();
    return new Promise((done) => { this.reaching.push([place, done]); setTimeout(done, 2000); });
  },

  select(rows) {
    this.map.selected = new Set(rows);
    body.dataset.selected = rows.length;
    const place = find("selection");
    place.hidden = !rows.length;
    for (const id of ["card", "skip", "why"]) find(id).hidden = rows.length > 0; // they are about another row
    if (rows.length) {
      this.turn("label");
      find("view-label").scrollTop = 0;
      showSelection(place, this, rows, () => this.select([])).catch((error) => toast(error.message));
    }
    this.showClasses();
    this.map.ask();
  },

  async explain() {
    clearTimeout(this.waiting);
    if (!find("why").open || !this.current || this.mode === "second") return;
    const { row } = this.current.card;
    this.waiting = setTimeout(async () => {
      const lines = await api.get(`/api/why/${row}`);
      if (this.current?.card.row !== row) return;
      const most = Math.max(...lines.map((line) => Math.abs(line.amount)), 1e-9);
      find("reasons").replaceChildren(lines.length
        ? make("ul", { class: "rows" }, ...lines.map((line) => rowButton(line,
          `${line.label} · ${line.amount >= 0 ? "supports this class" : "contradicts it"}, ${percent(Math.abs(line.amount) / most)} of the largest amount`,
          () => this.open(line.row, "map", "You opened it."))))
        : make("p", { class: "note" }, "There is no prediction yet."));
    }, 350);
  },

  async fit() {
    try { await api.post("/api/fit"); } catch (error) { toast(error.message); }
  },

  async link() {
    const { token } = await api.post("/api/link");
    const text = `${location.origin}/#token=${token}`;
    try { await navigator.clipboard.writeText(text); toast("The link is in the clipboard; it works once."); } catch { toast(text); }
  },

  rename(name) {
    if (!name.trim()) return;
    api.here.who = name.trim();
    localStorage.setItem("who", api.here.who);
    toast(`Your labels are kept under ${api.here.who}.`);
  },

  nameGroups() { askForGroups(this); },

  async finish() {
    await api.post("/api/finish");
    this.isFinished = true;
    this.say("The program has stopped; every label is stored.", "done");
  },

  offline() {
    body.dataset.online = "no";
    if (!this.isFinished) this.say("Not connected; trying again …");
  },

  say(text, kind = "") {
    find("status").textContent = text;
    find("status").className = kind;
  },

  turn(view) {
    this.view = view;
    for (const name of ["label", "review", "search", "results"]) {
      find(`view-${name}`).hidden = name !== view;
      find(`tab-${name}`).setAttribute("aria-selected", String(name === view));
    }
    if (view !== "search") this.map.found.clear();
    this.map.ask();
    if (view === "review") showReview(this);
    if (view === "search") { search(this); find("words").focus(); }
    if (view === "results") showResults(this);
  },
};

function showCount() {
  const n = app.labels.rows.length;
  find("count").textContent = `${whole(n)} of ${whole(app.info.rows)} rows labeled`;
  find("undo").disabled = !app.labels.undo;
  find("redo").disabled = !app.labels.redo;
}

const handlers = {
  open() {
    body.dataset.online = "yes";
    app.isFinished = false;
    app.say("");
    if (body.dataset.ready === "yes" && !app.current && !api.isWaiting()) app.next();
  },
  closed() {
    app.offline();
    return app.isFinished;
  },
  labels(facts) {
    const changed = facts.classes.join("\n") !== app.labels.classes.join("\n");
    app.labels = facts;
    app.map.labels = new Map(facts.rows.map((row, i) => [row, facts.codes[i]]));
    app.map.nClasses = facts.classes.length;
    app.map.ask();
    body.dataset.place = facts.place;
    body.dataset.labels = facts.rows.length;
    app.reaching = app.reaching.filter(([place, done]) => place > facts.place || done());
    showCount();
    if (changed) app.map.only = -1; // classes may have other codes now
    if (changed || !find("classes").childElementCount) { app.makeClasses(); showFilters(facts.classes); }
    if (changed && app.view === "results") showResults(app);
    showLegend(app);
    const shown = app.current;
    if (shown && facts.rows.includes(shown.card.row) && shown.card.label === null && ["suggested", "check", "random"].includes(shown.why)) {
      app.next(); // another window was faster
    }
    if (app.wasEmpty === null) {
      app.wasEmpty = facts.rows.length === 0 && facts.classes.length === 0;
      if (app.wasEmpty) askForGroups(app);
    }
  },
  model(facts) {
    const isMoved = facts.layout !== app.model.layout;
    app.model = facts;
    showQuality(facts, app.labels, app.streak);
    showLegend(app);
    find("n-review").textContent = facts.suspects || "";
    body.dataset.full = facts.full.status;
    body.dataset.status = facts.status;
    body.dataset.model = facts.place;
    if (isMoved) move(facts.layout);
    if (app.view === "results") showResults(app);
    if (app.view === "review") showReview(app);
  },
  colors(buffer) {
    const n = app.info.rows;
    const codes = new Uint16Array(buffer, 0, n);
    const certainty = new Uint8Array(buffer, 2 * n, n);
    const { place } = app.model;
    app.map.recolor(codes, certainty, () => {
      body.dataset.painted = place;
      refreshPrediction();
    });
  },
};

async function move(layout) {
  const plane = new Float32Array(await api.get("/api/plane"));
  app.map.place(plane);
  body.dataset.layout = layout;
  showMapNote();
}

// The bars of the row on the card follow the model.
let refreshing = false;
async function refreshPrediction() {
  const shown = app.current;
  if (!shown || refreshing || app.mode === "second") return;
  refreshing = true;
  try {
    const card = await api.get(`/api/row/${shown.card.row}`);
    if (app.current === shown) {
      shown.card.likely = card.likely;
      shown.card.suspect = card.suspect;
      app.showRow();
      app.showClasses();
    }
  } finally { refreshing = false; }
}

let tipping = 0;
function hover(row, x = 0, y = 0) {
  const tip = find("tip");
  clearTimeout(tipping);
  if (row < 0 || row === app.map.blind) { tip.hidden = true; return; }
  tipping = setTimeout(() => {
    const code = app.map.codes[row];
    const name = app.labels.classes[code] ?? "no prediction";
    const sure = app.map.labels.has(row) ? "labeled" : code < app.labels.classes.length ? probable(app.map.certainty[row] / 255) : "";
    tip.replaceChildren(make("strong", {}, name), ` ${sure}`, make("br"), `Row ${whole(row + 1)}`);
    if (app.info.has_images) tip.append(make("img", { src: `/api/image/${row}/small`, alt: "", width: 72, height: 72 }));
    const { clientWidth, clientHeight } = find("map");
    tip.hidden = false;
    tip.style.left = `${Math.min(x + 14, clientWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${Math.min(y + 14, clientHeight - tip.offsetHeight - 8)}px`;
  }, 40);
}

function setLasso(isOn) {
  app.map.setLasso(isOn);
  find("lasso").setAttribute("aria-pressed", String(isOn));
  showMapNote();
}

function showMapNote() {
  find("map-note").classList.toggle("hint", app.map.isLasso);
  find("map-note").textContent = app.map.isLasso ? `Draw around the rows to select.${isTouch ? "" : " Esc ends it."}`
    : body.dataset.layout === "neighbors" ? "Similar rows are near each other." : "First view: principal components.";
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  app.map.theme = theme;
  app.map.ask();
}

function showKeys() {
  const lines = [["1, 2 … Q, W …", "label the row, or the selected rows, as on the buttons"], ["Space", "skip the row"],
    ["Z", "undo"], ["Shift+Z", "redo"], ["+", "add a class"], ["/", "search"], ["Esc", "cancel the selection, or end a mode"],
    ["Shift+drag", "draw around rows on the map"], ["?", "this list"]];
  find("keys-body").replaceChildren(make("dl", {}, ...lines.flatMap(([key, text]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, text)])),
    make("button", { type: "button", onclick: () => find("keys").close() }, "Close"));
  find("keys").showModal();
}

function onKey(event) {
  // a field of a dialog that was closed keeps the focus until the next frame
  const isTyping = event.target.matches?.("input, select, textarea") && event.target.checkVisibility();
  const hasDialog = document.querySelector("dialog[open]") !== null;
  if (event.key === "Escape" && !hasDialog) {
    if (app.map.isLasso) setLasso(false);
    else if (app.map.selected.size) app.select([]);
    else if (app.mode === "second") app.endSecond();
    if (isTyping) event.target.blur();
    return;
  }
  if (isTyping || hasDialog || event.altKey) return;
  const key = event.key.toLowerCase();
  const isControl = event.ctrlKey || event.metaKey;
  const run = (work) => { event.preventDefault(); Promise.resolve(work()).catch((error) => toast(error.message)); };
  if (key === "z" && !event.repeat) run(() => app.step(event.shiftKey ? "redo" : "undo"));
  else if (isControl && key === "y") run(() => app.step("redo"));
  else if (isControl) return;
  else if (key === " " && !event.target.matches?.("button, summary, a, [role=tab]")) run(() => app.skip());
  else if (key === "+") run(() => { app.turn("label"); find("class-name").focus(); });
  else if (key === "/") run(() => app.turn("search"));
  else if (key === "?") run(showKeys);
  else if (KEYS.includes(key) && key.length === 1 && !event.repeat && app.view === "label") {
    const code = keysOf(app.labels.classes).indexOf(key);
    if (code >= 0) run(() => app.choose(code));
    else toast(`No class has the key ${key.toUpperCase()}. Press + to add a class.`);
  }
}

async function addClass(event) {
  event.preventDefault();
  const field = find("class-name");
  const name = field.value.trim();
  if (!name) return;
  field.value = "";
  field.blur();
  const known = app.labels.classes.indexOf(name.normalize("NFC"));
  if (known >= 0) {
    const key = keysOf(app.labels.classes)[known].toUpperCase();
    toast(`There is already a class ${name}${key ? ` (key ${key})` : ""}.`);
    return;
  }
  try {
    await api.act("class", { label: name }, () => app.offline());
  } catch (error) {
    toast(error.message);
    field.value = name; // to be corrected
    field.focus();
  }
}

function wire() {
  app.map = new RowMap(find("points"), {
    hover,
    pick: (row) => app.open(row, "map", "You chose it on the map."),
    select: (rows) => { setLasso(false); app.select(rows); },
  });
  const dark = matchMedia("(prefers-color-scheme: dark)");
  setTheme(localStorage.getItem("theme") ?? (dark.matches ? "dark" : "light"));
  dark.addEventListener("change", () => { if (!localStorage.getItem("theme")) setTheme(dark.matches ? "dark" : "light"); });
  const on = (id, work) => find(id).addEventListener("click", () => Promise.resolve(work()).catch((error) => toast(error.message)));
  on("theme", () => {
    const theme = app.map.theme === "dark" ? "light" : "dark";
    localStorage.setItem("theme", theme);
    setTheme(theme);
  });
  on("undo", () => app.step("undo"));
  on("redo", () => app.step("redo"));
  on("help", showKeys);
  on("skip", () => app.skip());
  on("closer", () => app.map.zoom(1.6));
  on("farther", () => app.map.zoom(1 / 1.6));
  on("whole", () => app.map.showAll());
  on("lasso", () => setLasso(!app.map.isLasso));
  for (const view of ["label", "review", "search", "results"]) on(`tab-${view}`, () => app.turn(view));
  document.querySelector("[role=tablist]").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const tabs = [...event.currentTarget.children];
    const tab = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
    tab.focus();
    tab.click();
  });
  find("new-class").addEventListener("submit", addClass);
  find("why").addEventListener("toggle", () => app.explain());
  let searching = 0;
  find("search").addEventListener("submit", async (event) => {
    event.preventDefault();
    clearTimeout(searching);
    await search(app);
    find("hits").querySelector("button")?.focus();
  });
  for (const id of ["words", "show"]) {
    find(id).addEventListener("input", () => { clearTimeout(searching); searching = setTimeout(() => search(app), 150); });
  }
  document.addEventListener("keydown", onKey);
  document.addEventListener("click", (event) => { // else Space would press the button again
    if (event.detail) event.target.closest?.(".tools button, .map-tools button, #classes button, #skip, #legend button, #unused button, #clear")?.blur();
  });
}

async function login() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token) {
    history.replaceState(null, "", "/"); // so that nobody reads it off the screen
    try { await api.post("/api/login", { token }); } catch { /* perhaps there is a cookie */ }
  }
  for (;;) {
    try {
      return await api.get("/api/start");
    } catch (error) {
      if (error.status !== 401) throw error;
      find("login-text").textContent = error.message;
      find("login").showModal();
      await new Promise((done) => {
        find("login-form").onsubmit = async (event) => {
          event.preventDefault();
          try {
            const [typed, inLink] = [find("password").value, /#token=([\w-]+)\s*$/.exec(find("password").value)];
            await api.post("/api/login", { token: inLink ? inLink[1] : typed });
            find("login").close();
            done();
          } catch (problem) { find("login-text").textContent = problem.message; }
        };
      });
    }
  }
}

async function start() {
  wire();
  app.info = await login();
  api.here.who ||= app.info.who;
  find("name").textContent = visible(app.info.name.split(/[\\/]/).filter(Boolean).at(-1));
  find("name").title = visible(app.info.name);
  document.title = `${visible(app.info.name)} · widemargin label`;
  showCount();
  showQuality(app.model, app.labels);
  api.listen(handlers);
  await move("principal");
  app.model.layout = "principal";
  await app.next();
  body.dataset.ready = "yes";
  if (app.info.taken) toast(app.info.taken);
}

start().catch((error) => app.say(error.message));
