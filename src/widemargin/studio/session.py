"""The work on a source: its state, the model that follows it, and what is shown."""

import json
import logging
import math
import threading
import warnings
from dataclasses import replace

import numpy as np

from widemargin.studio.cards import CardMaker
from widemargin.studio.jobs import Job
from widemargin.studio.layout import principal_plane
from widemargin.studio.live import NO_CLASS, LiveModel, choose_next, describe_error
from widemargin.studio.state import (
    Event,
    Refusal,
    State,
    apply,
    check_action,
    check_name,
    check_rows,
    compare_people,
)
from widemargin.tables.targets import describe_alike

N_SUGGESTIONS = 12
_N_REPLAYED = 20  # points of the error curve of labels that were there before
_UNCERTAIN = 0.75
_PAUSE = 0.3  # seconds between a model and its suggestions


_MODEL_USES = {  # how a model file is used
    "table": "Predict new rows with: widemargin predict MODEL TABLE.",
    "images": "The model needs the pixels of images and cannot be used by widemargin "
    "predict. The page 'Label rows in the browser' of the documentation shows how to "
    "use it in Python.",
    "texts": "Predict new texts with widemargin predict MODEL TABLE, where the table "
    "has a single column, or in Python with "
    "widemargin.load(MODEL).predict(list_of_texts).",
    "arrays": "Use the model in Python: widemargin.load(MODEL).predict(X).",
}


def _describe_taken(n_taken, n_replaced, is_file):
    """How many labels of the source are new; empty for none."""
    if not n_taken:
        return ""
    noun, where = "label" if n_taken == 1 else "labels", "the input" if is_file else "y"
    text = f"{n_taken:,} new {noun} read from {where}"
    if n_replaced:
        verb = "replaces a label" if n_replaced == 1 else "replace labels"
        text += f", {n_replaced:,} of which {verb} of the page"
    return f"{text}."


def _percent(probability):
    """A probability in percent; one that is not exactly 0 or 1 is not rounded to it."""
    if probability < 0.01:
        return "< 1 %"
    return "> 99 %" if probability > 0.99 else f"{100 * probability:.0f} %"


def _describe_class(name, before, state):
    """What became of a class that was undone or redone; `before` are the classes."""
    if name not in state.classes:
        what = "was removed" if name in before else "was removed before"
    elif name not in before:
        what = "is back"
    else:
        what = "is still " + ("used" if name in state.names.values() else "there")
    return f"The class {name} {what}."


class Session:
    """All that the page shows and does, whatever carries it there.

    Methods may be called by several threads. The model is prepared and follows the
    labels in threads of its own; `listen` is told what has changed: "labels", "model",
    "layout" or "full".
    """

    def __init__(self, source, store, who="me", *, seed=0):
        self.source, self.store, self.who = source, store, check_name(who, "--name")
        self.unreadable = dict(source.unreadable)
        self.cards = CardMaker(source)
        self._lock, self._changed = threading.RLock(), threading.Condition()
        self._model_lock, self._listeners = threading.Lock(), []
        self._rng = np.random.default_rng(seed)
        self._readable = set()  # rows whose images were opened
        self._windows, self._jobs, self._is_closed = {}, [], False
        self._n_settling = 0  # threads that wait for suggestions
        self.plane, self.layout = principal_plane(source.X, seed), "principal"
        self.problem = None  # why there is no model
        self.suggestions, self._suggested_place = None, -1
        self.curve, self.full = {}, {"status": "none"}
        self._full_files = self._full_job = None
        facts = {"source": source.name, "is_file": source.is_file}
        facts |= {"target": source.target, "contents": source.contents}
        store.bind(source.hash, source.n_rows, **facts)
        self.state = store.catch_up(State())
        self._take_labels()
        self.live = LiveModel(source.X, seed)
        self.snapshot = self.live.empty(self.state)
        self._threads = []

    def _take_labels(self):
        """Store the labels of the source that it did not have before, by class.

        What a person has labeled since is kept, unless the source has changed there.
        """
        state, by_name, n_replaced = self.state, {}, 0
        current = state.names
        for row, name in self.source.labels.items():
            name = check_name(name)
            if name not in (state.opinion(row, "file"), current.get(row)):
                by_name.setdefault(name, []).append(row)
                n_replaced += row in current and state.labels[row].why != "given"
        for i, (name, rows) in enumerate(sorted(by_name.items())):
            batch = f"given {state.place} {i}"
            event = Event("label", batch, "file", tuple(rows), name, "given")
            self.store.append(event)
        self.state = self.store.catch_up(state)
        n_taken = sum(map(len, by_name.values()))
        self.n_replaced = n_replaced
        self.taken = _describe_taken(n_taken, n_replaced, self.source.is_file)

    def start(self, *, arranges=True):
        """Start the threads; the last of them arranges the map."""
        for work in (self._follow, self._propose, self._arrange)[: 2 + arranges]:
            thread = threading.Thread(target=work, daemon=True)
            thread.start()
            self._threads.append(thread)
        return self

    def close(self):
        """End threads and processes, and close the store."""
        with self._lock, self._changed:
            self._is_closed = True
            self._changed.notify_all()
        for job in self._jobs:
            job.close()
        for thread in self._threads:
            # What a model of many rows prepares takes long, and cannot be stopped.
            if self.live.is_ready or self.problem or thread is not self._threads[0]:
                thread.join()
        self.store.close()

    def listen(self, function):
        """Call a function with what has changed, from any thread."""
        self._listeners.append(function)

    def _tell(self, what):
        with self._changed:
            self._changed.notify_all()
        for function in list(self._listeners):
            function(what)

    def _wait_for(self, is_true):
        """Whether something became true before the session was closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or is_true())
        return not self._is_closed

    def _is_urgent(self):
        """Whether suggestions are waited for, or few of them are left."""
        found = self.suggestions
        n_left = (
            0 if found is None else sum(r not in self.state.labels for r in found.rows)
        )
        return self._is_closed or self._n_settling > 0 or n_left < 3

    def settle(self):
        """Wait until model and suggestions are those of the labels."""
        with self._changed:
            self._n_settling += 1
            self._changed.notify_all()
        try:
            self._settle()
        finally:
            with self._changed:
                self._n_settling -= 1

    def _settle(self):
        self._wait_for(
            lambda: (
                self.problem is not None
                or (
                    self.live.is_ready
                    and self.snapshot.place == self.state.place
                    and self._suggested_place == self.state.place
                )
            )
        )

    # The threads

    def _follow(self):
        """Prepare the model, then learn whenever labels have changed."""
        try:
            with warnings.catch_warnings():
                # nobody sees those of the features here
                warnings.simplefilter("ignore")
                self.live.prepare()
            self._learn_all()
        except Exception as error:  # the page says it, and labels are still stored
            self._fail(error)

    def _fail(self, error):
        if not isinstance(error, ValueError):
            logging.getLogger("widemargin").exception("the model has failed")
        self.problem = f"{error}" or type(error).__name__
        self._tell("model")

    def _learn_all(self):
        replayed, before = self._replay(), None
        while not self._is_closed:
            state = self.state
            if before is None or self.snapshot.place != state.place:
                if before is not None and self._forget_errors(before, state):
                    replayed = self._replay()
                before = state
                with self._model_lock:
                    self.snapshot = self._hide_unseen(self.live.learn(state), state)
                self._note_error(self.snapshot)
                self._tell("model")
            elif next(replayed, None) is None and not self._wait_for(
                lambda: self.snapshot.place != self.state.place
            ):
                return

    def _hide_unseen(self, snapshot, state):
        """A snapshot without predictions of rows that nobody can see."""
        rows = [row for row in self.unreadable if row not in state.labels]
        if not rows:
            return snapshot
        codes, certainty = snapshot.codes.copy(), snapshot.certainty.copy()
        codes[rows], certainty[rows] = NO_CLASS, 0.0
        return replace(snapshot, codes=codes, certainty=certainty)

    def _note_error(self, snapshot):
        if snapshot.error is not None:
            n_labels, place = snapshot.n_labels, snapshot.place
            if n_labels in self.curve:  # the same labels again, after an undo
                place = min(place, self.curve[n_labels][2])
            self.curve[n_labels] = snapshot.error, snapshot.error_std, place

    def _forget_errors(self, before, state):
        """Forget errors that were estimated with labels that are gone.

        Whether batches of labels were undone or redone.
        """
        moved = [state.batches[name] for name in before.inactive ^ state.inactive]
        places = [event.place for event in moved if event.kind == "label"]
        first = min(places, default=math.inf)
        self.curve = {
            n_labels: known
            for n_labels, known in self.curve.items()
            if n_labels <= len(state.labels) and known[2] < first
        }
        return bool(places)

    def _replay(self):
        """Learn from the first of the labels that count, for the error curve.

        At each call, from more of them.
        """
        now = self.state
        events = [
            event
            for event in self.store.read()
            if event.kind == "label" and event.batch not in now.inactive
        ]
        n_labels = np.cumsum([len(e.rows) for e in events])
        if not len(n_labels):
            return
        marks = np.linspace(0, n_labels[-1], _N_REPLAYED + 2)[1:-1]
        state, start, step = State(), 0, n_labels[-1] / (_N_REPLAYED + 1)
        for end in np.unique(np.searchsorted(n_labels, marks) + 1).tolist():
            state, start = apply(state, *events[start:end]), end
            n = len(state.labels)
            is_known = any(abs(known - n) < step / 2 for known in self.curve.copy())
            if not is_known and n <= len(self.state.labels):
                with self._model_lock:
                    snapshot = self.live.learn(state)
                self._note_error(snapshot)
            yield True
        self._tell("model")

    def _propose(self):
        """Find rows to label next whenever the model has changed."""
        while self._wait_for(
            lambda: self.live.is_ready and self._suggested_place != self.snapshot.place
        ):
            # First the map is painted; a person takes longer than this to decide.
            with self._changed:
                self._changed.wait_for(self._is_urgent, _PAUSE)
            snapshot, state = self.snapshot, self.state
            n = min(N_SUGGESTIONS, self.source.n_rows - len(state.labels))
            try:
                if n > 0:
                    self.suggestions = self.live.suggest(snapshot, state, n)
            except Exception as error:
                self._fail(error)
                return
            self._suggested_place = snapshot.place
            self._tell("suggestions")

    def _arrange(self):
        """Compute the places of the map that keep neighbors together."""
        with self._lock:
            if self._is_closed:
                return
            job = Job("layout", self.source.X, start=self.plane.tolist())
            self._jobs.append(job)
        try:
            job.wait()
            self.plane = np.load(job.folder / "plane.npy")
            self.layout = "neighbors"
        except (RuntimeError, OSError, ValueError):
            if self._is_closed:
                return
            self.layout = "principal only"
        self._tell("layout")

    # What a person does

    def act(self, kind, batch, who, *, rows=(), label=None, why="", seen=None):
        """Store an action and return what it led to; `Refusal` if it cannot be done."""
        if isinstance(label, str):
            label = check_name(label)
        if kind == "label" and label is not None:
            check_rows(rows, self.source.n_rows)
            rows = self._without_unseen(rows)
        with self._lock:
            self.state = self.store.catch_up(self.state)
            target = None
            if kind in ("undo", "redo"):
                target = getattr(self.state, f"can_{kind}")(who)
            event = Event(kind, batch, who, tuple(rows), label, why, target)
            is_retry = batch in self.state.batches
            check_action(
                self.state, event, self.source.n_rows, None if is_retry else seen
            )
            if kind in ("undo", "redo") and target is None:
                return {"rows": [], "place": self.state.place}
            before = self.state.classes
            is_new = self.store.append(event)
            self.state = self.store.catch_up(self.state)
            answer = {"rows": list(rows), "place": self.state.place}
            if target is not None:  # which a retry has chosen anew
                batch = self.state.batches[target]
                answer["rows"] = list(batch.rows) if is_new else []
                answer["why"] = batch.why
                if batch.kind != "label" and is_new:
                    answer["text"] = _describe_class(batch.label, before, self.state)
        self._tell("labels")
        return answer

    def _without_unseen(self, rows):
        """Rows without those that nobody can see; `Refusal` if no other is left."""
        reasons = self.unreadable
        seen = [row for row in rows if row not in reasons]
        if not seen:
            reason = reasons[rows[0]].rstrip(".")
            raise Refusal(f"{reason}, so that the row cannot be labeled.")
        return seen

    def refresh(self):
        """Take over what other processes have stored."""
        with self._lock:
            state = self.store.catch_up(self.state)
            is_new, self.state = state is not self.state, state
        if is_new:
            self._tell("labels")

    def next_row(self, window, who=None, mode="suggested"):
        """A `Proposal` for a window, different from those of the others."""
        with self._lock:
            taken = [row for key, row in self._windows.items() if key != window]
            state = self.state
            if mode == "second":
                return self._second_opinion(state, who, taken)
            found, is_seen = None, False
            while not is_seen:
                shut = [*taken, *self.unreadable]
                found = choose_next(
                    state, self.suggestions, shut, self._rng, self.source.n_rows
                )
                is_seen = found is None or self._can_be_seen(found.row)
            if found is not None:
                self._windows[window] = found.row
            return found

    def _can_be_seen(self, row):
        """Whether a row has no image, or one that can be read."""
        images = self.source.images
        if images is None or row in self._readable:
            return row not in self.unreadable
        try:
            images.open(row)
            self._readable.add(row)
        except ValueError as error:
            # replaced, because other threads iterate over it without the lock
            self.unreadable = {**self.unreadable, row: str(error)}
        return row not in self.unreadable

    def _second_opinion(self, state, who, taken):
        from widemargin.studio.live import Proposal

        rows = [
            row
            for row, event in state.labels.items()
            if event.who not in (who, "file")
            and state.opinion(row, who) is None
            and row not in taken
            and row not in state.skipped
        ]
        if not rows:
            return None
        row = int(self._rng.choice(rows))
        text = "Somebody else labeled it; a second opinion measures your agreement."
        return Proposal(row, "review", text)

    def leave(self, window):
        """Forget a window that was closed."""
        with self._lock:
            self._windows.pop(window, None)

    # What the page shows

    def _current(self):
        """The state, and the snapshot with the codes of its classes."""
        state, snapshot = self.state, self.snapshot
        return state, snapshot.placed(state.classes)

    def describe(self):
        """Facts about the source, which do not change."""
        source = self.source
        return {
            "name": source.name,
            "rows": source.n_rows,
            "target": source.target,
            "note": self.note,
            "taken": self.taken if self.n_replaced else "",
            "is_file": source.is_file,
            "who": self.who,
            "has_images": source.images is not None,
            "has_texts": source.texts is not None,
            "store": self.store.path,
            "model_use": _MODEL_USES[source.kind],
        }

    @property
    def note(self):
        """What to know about the features and labels of the source."""
        alike = [f"Note: {text}." for text in describe_alike(self.state.classes)]
        return " ".join(filter(None, [self.source.note, self.taken, *alike]))

    def describe_labels(self, who=None):
        """Classes and labels."""
        state = self.state
        places = {name: i for i, name in enumerate(state.classes)}
        return {
            "place": state.place,
            "classes": list(state.classes),
            "rows": list(state.labels),
            "codes": [places[event.label] for event in state.labels.values()],
            "undo": state.can_undo(who or self.who) is not None,
            "redo": state.can_redo(who or self.who) is not None,
            "skipped": len(state.skipped),
        }

    def describe_model(self):
        """How good the model is, and what it finds doubtful."""
        snapshot = self._current()[1]
        n_random, error, std = snapshot.n_random, snapshot.error, snapshot.error_std
        status = "ready" if self.live.is_ready else "preparing"
        if snapshot.model is None and self.live.is_ready:
            status = "needs two classes"
        return {
            "place": snapshot.place,
            "status": "failed" if self.problem else status,
            "problem": self.problem,
            "labels": snapshot.n_labels,
            "random": n_random,
            "error": error,
            "error_std": std,
            "shown_error": describe_error(n_random, error, std),
            "shares": list(snapshot.shares),
            "suspects": len({*self._suspects(), *self._disagreements()}),
            "curve": [
                [n, *known[:2]] for n, known in sorted(self.curve.copy().items())
            ],
            "layout": self.layout,
            "full": {**self.full, "is_current": self._is_current()},
        }

    def colors(self):
        """Class and certainty of all rows as bytes: two and one for each."""
        snapshot = self._current()[1]
        certainty = np.round(255 * snapshot.certainty).astype(np.uint8)
        return snapshot.codes.astype("<u2").tobytes() + certainty.tobytes()

    def card(self, row):
        """All about a row."""
        state, snapshot = self._current()
        self.cards.check(row)
        card = self.cards.make(row, snapshot, state.classes)
        event = state.labels.get(row)
        card["unreadable"] = self.unreadable.get(row)
        found = snapshot.probabilities(row, state.classes)
        found = None if snapshot.codes[row] == NO_CLASS else found
        likely = [] if found is None else np.argsort(-found, kind="stable")[:5].tolist()
        card["likely"] = [[state.classes[code], float(found[code])] for code in likely]
        card["label"] = None if event is None else event.label
        card["version"] = state.version(row)
        card["by"] = None if event is None else [event.who, event.at, event.why]
        card["suspect"] = self._suspects().get(row)
        return card

    def explain(self, row):
        """The labels that decide about a row, with what they add to its margin."""
        self.cards.check(row)
        snapshot = self.snapshot
        with self._model_lock:
            found = self.live.explain(snapshot, row)
        names = snapshot.classes
        return [
            {**self.cards.brief(other), "label": names[code], "amount": amount}
            for other, code, amount in found
        ]

    def clusters(self, n_clusters, n_examples=6):
        """Groups of similar rows to name."""
        n_clusters = int(np.clip(n_clusters, 2, 100))
        if not self._wait_for(lambda: self.live.is_ready or self.problem):
            return []
        if self.problem:
            raise ValueError(self.problem)
        hidden = self.unreadable
        groups = []
        for rows in self.live.find_clusters(n_clusters):
            if seen := [row for row in rows if row not in hidden]:
                examples = self.cards.briefs(seen, n_examples)
                groups.append({"rows": examples, "size": len(rows)})
        return groups

    def _disagreements(self):
        return {row for pair in compare_people(self.state) for row in pair.different}

    def _suspects(self):
        """Rows of the model's suspect labels, each with what the others suggest.

        Labels that a person has changed or confirmed since are left out.
        """
        (state, snapshot), found = self._current(), {}
        for row, probability, code in snapshot.suspects:
            if row not in state.labels or code >= len(state.classes):
                continue
            label, better = state.labels[row].label, state.classes[code]
            if label != better and not state.is_confirmed(row):
                why = f'the other labels suggest "{better}" ('
                why += f'probability of "{label}": {_percent(probability)})'
                found[row] = {"better": better, "why": why}
        return found

    def review(self):
        """Labels that others contradict: the model's suspects, then people's."""
        state, lines, disputed = self.state, [], self._disagreements()
        for row, suspect in self._suspects().items():
            why = suspect["why"] + ("; two people disagree" if row in disputed else "")
            lines.append(self._line(row, why, suspect["better"]))
        known = {line["row"] for line in lines}
        for row in sorted(disputed - known):
            lines.append(self._line(row, "two people disagree", None))
        people = [
            {
                "people": list(pair.people),
                "rows": pair.n_rows,
                "same": pair.n_same,
                "kappa": None if pair.kappa != pair.kappa else pair.kappa,
            }
            for pair in compare_people(state)
        ]
        return {"lines": lines, "people": people}

    def _line(self, row, why, better):
        event = self.state.labels.get(row)
        why = (
            f"Not labeled; {why}"
            if event is None
            else f'Labeled "{event.label}"; {why}'
        )
        return {**self.cards.brief(row), "why": why, "better": better}

    def search(self, words="", show="all", most=100):
        """Rows with some words: all, labeled, unlabeled, uncertain, or "class:NAME"."""
        state, snapshot = self._current()
        rows = np.arange(self.source.n_rows)
        labeled = np.zeros(len(rows), dtype=bool)
        labeled[list(state.labels)] = True
        if show == "labeled":
            rows = rows[labeled]
        elif show == "unlabeled":
            rows = rows[~labeled]
        elif show == "uncertain":
            rows = rows[~labeled & (snapshot.certainty < _UNCERTAIN)]
            rows = rows[np.argsort(snapshot.certainty[rows], kind="stable")]
        elif show.startswith("class:") and show[6:] in state.classes:
            rows = rows[snapshot.codes == state.classes.index(show[6:])]
        elif show != "all":
            rows = rows[:0]
        rows = self.cards.matching(rows, words)
        listed = []
        for row in rows[:most]:
            code = int(snapshot.codes[row])
            known = code != NO_CLASS and code < len(state.classes)
            line = self.cards.brief(row)
            line["label"] = state.classes[code] if known else None
            line["certainty"] = float(snapshot.certainty[row])
            line["labeled"] = row in state.labels
            listed.append(line)
        return {"rows": [int(row) for row in rows], "listed": listed}

    # A full fit

    def fit_fully(self):
        """Start a fit of `FewLabelClassifier` in a process of its own."""
        with self._lock:
            if self.full["status"] == "running":
                return
            state = self.state
            used = {event.label for event in state.labels.values()}
            if len(used) < 2:
                raise ValueError("A model needs labels of at least two classes.")
            classes = [name for name in state.classes if name in used]
            codes = [-1] * self.source.n_rows
            for row, event in state.labels.items():
                codes[row] = classes.index(event.label)
            job = Job(
                "fit",
                self.source.X,
                codes=codes,
                classes=self.source.original(classes),
                random_rows=state.random_rows,
                confirmed_rows=state.confirmed_rows,
            )
            self._jobs.append(job)
            self.full = {"status": "running", "lines": []}
        facts = job, classes, state.names
        worker = threading.Thread(target=self._finish, args=facts, daemon=True)
        worker.start()
        self._threads.append(worker)
        self._tell("full")

    def _finish(self, job, classes, labels):
        n_told = 0
        while not job.is_done.wait(0.2):
            if len(job.lines) > n_told:
                n_told = len(job.lines)
                self.full = {**self.full, "lines": list(job.lines)}
                self._tell("full")
        if self._is_closed:
            return
        found = {**self.full, "lines": list(job.lines)}
        if job.error is None:
            report = json.loads((job.folder / "report.json").read_text("utf-8"))
            with self._lock:
                used, self._full_job = self._full_job, job
                self._full_files = labels, classes, job.folder
            self.full = {**found, "status": "done", "report": report}
        else:
            used = job
            self.full = {**found, "status": "failed", "problem": job.error}
        if used is not None:  # its folder holds a copy of the rows
            used.close()
        self._tell("full")

    def _is_current(self):
        """Whether the full model has learned the current labels."""
        return self._full_files is not None and self._full_files[0] == self.state.names

    def predictions(self):
        """Class and probability of all rows, and which model they are of.

        Those of the full model if it has learned the current labels.
        """
        state, snapshot = self._current()
        with self._lock:
            if self._is_current():
                _, classes, folder = self._full_files
                codes = np.load(folder / "codes.npy")
                names = np.array([*classes], dtype=object)[codes]
                unseen = [r for r in self.unreadable if r not in state.labels]
                names[unseen] = None
                return names, np.load(folder / "certainty.npy"), "full"
        names = np.array([*state.classes, None], dtype=object)
        codes = np.minimum(snapshot.codes, len(state.classes))
        return names[codes], snapshot.certainty, "live"

    def read_full_model(self):
        """The model of the last full fit, with the preparation of its input."""
        from sklearn.pipeline import Pipeline

        from widemargin.model_files import load

        with self._lock:
            if self._full_files is None:
                raise ValueError("There is no full model yet; start a full fit first.")
            model = load(self._full_files[2] / "model.wm")
        if self.source.preparation is None:
            return model
        return Pipeline([("prepare", self.source.preparation), ("model", model)])

    def as_targets(self):
        """Labels of all rows as estimators take them."""
        from widemargin.studio.jobs import targets

        labels = self.state.names
        names = list(dict.fromkeys(labels.values())) or list(self.source.values)
        codes = np.full(self.source.n_rows, -1)
        for row, name in labels.items():
            codes[row] = names.index(name)
        return targets(codes, self.source.original(names))
