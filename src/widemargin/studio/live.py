"""The model behind the page: eigenvectors once, then milliseconds per label."""

import copy
import math
import warnings
from dataclasses import dataclass, field, replace

import numpy as np

from widemargin.averaging import estimate_error
from widemargin.checks import DataWarning
from widemargin.defaults import SUGGESTIONS
from widemargin.estimators.spectral_classifier import SpectralClassifier
from widemargin.labels import UNLABELED, labeled_mask
from widemargin.linalg.products import suited_threads
from widemargin.solvers.active_learning import suggest_rows_from_geometry
from widemargin.spaces.bases import spectral_features

NO_CLASS = 2**16 - 1
N_KNOWN, N_PRECISE = 5, 10  # labels of random rows, from which the error is shown


@dataclass(frozen=True)
class Snapshot:
    """What the model makes of the labels of one state."""

    place: int  # of the last event it has learned
    codes: np.ndarray  # class of each row, its place among those of the state
    certainty: np.ndarray  # its probability, 1 of labeled rows
    n_labels: int = 0
    n_random: int = 0  # labels that the error is estimated from
    error: float | None = None  # share of wrong predictions of unlabeled rows
    error_std: float | None = None
    shares: tuple = ()  # of rows labeled or predicted as each class, in their order
    suspects: tuple = ()  # triples of a row, probability of its label, a better class
    model: SpectralClassifier | None = field(default=None, repr=False)
    classes: tuple = ()  # of the state

    def probabilities(self, row, classes):
        """Probability of each of some classes for a row; None without a model."""
        if self.model is None:
            return None
        names = [self.classes[code] for code in self.model.classes_]
        known = dict(zip(names, self.model.label_distributions_[row], strict=True))
        return np.array([known.get(name, 0.0) for name in classes])

    def placed(self, classes):
        """The same with the codes of other classes, as after one was removed."""
        if classes[: len(self.classes)] == self.classes:
            return self
        codes_of = {name: code for code, name in enumerate(classes)}
        places = [codes_of.get(name, NO_CLASS) for name in self.classes]
        places = np.array([*places, NO_CLASS], dtype=np.uint16)
        shares = dict(zip(self.classes, self.shares, strict=False))
        return replace(
            self,
            codes=places[np.minimum(self.codes, len(self.classes))],
            shares=tuple(shares.get(name, 0.0) for name in classes) if shares else (),
            suspects=tuple((row, p, int(places[c])) for row, p, c in self.suspects),
        )


@dataclass(frozen=True)
class Proposal:
    """A row to label, and why."""

    row: int
    why: str  # one of `state.REASONS`
    text: str  # for the reader
    text_if_sure: str = ""  # instead, if the model is sure of its class


class LiveModel:
    """Closed-form models over the eigenvectors of all rows.

    `prepare` takes seconds and is called once; then all methods may be called, each by
    one thread at a time. A snapshot does not change when the model learns more.
    """

    def __init__(self, X, seed=0):
        self.X, self.seed, self.n_rows = X, seed, X.shape[0]
        self._model = SpectralClassifier(random_state=seed)
        self.is_ready = False

    def prepare(self):
        """Compute the eigenvectors."""
        # They depend on the rows alone, but a fit needs labels of two classes.
        labels = np.full(self.n_rows, UNLABELED)
        labels[[0, _first_other(self.X)]] = 0, 1
        with suited_threads(0):
            self._model.fit(self.X, labels)
        self.is_ready = True
        return self

    def empty(self, state):
        """The snapshot of labels that no model can be learned from."""
        codes = np.full(self.n_rows, NO_CLASS, dtype=np.uint16)
        certainty = np.zeros(self.n_rows, dtype=np.float32)
        rows, known = _coded(state)
        codes[rows], certainty[rows] = known, 1.0
        return Snapshot(state.place, codes, certainty, len(rows), classes=state.classes)

    def learn(self, state):
        """The snapshot of a state."""
        rows, known = _coded(state)
        if not self.is_ready or len(np.unique(known)) < 2:
            return self.empty(state)
        y = np.full(self.n_rows, UNLABELED)
        y[rows] = known
        random_rows = np.isin(np.arange(self.n_rows), state.random_rows)
        with warnings.catch_warnings():
            # Labels that are still few look like identifiers, at every key press.
            warnings.simplefilter("ignore", DataWarning)
            model = self._model.update(y, random_labels=random_rows)
        found = model.label_distributions_.astype(np.float32)
        classes = model.classes_
        codes = classes[found.argmax(axis=1)].astype(np.uint16)
        certainty = found.max(axis=1)
        codes[rows], certainty[rows] = known, 1.0
        shares = np.bincount(codes, minlength=len(state.classes))  # as on the map
        is_random = random_rows[labeled_mask(y)]
        error, std = self._estimate(model, y, is_random, certainty)
        suspects = model.suspect_labels()
        listed = zip(*(v.tolist() for v in vars(suspects).values()), strict=True)
        return Snapshot(
            state.place,
            codes,
            certainty,
            len(rows),
            int(is_random.sum()),
            error,
            std,
            tuple((shares / self.n_rows).tolist()),
            tuple(listed),
            copy.copy(model),
            state.classes,
        )

    def _estimate(self, model, y, is_random, certainty):
        """Error of the unlabeled rows and its standard error; None if unknown."""
        held_out, labeled = model.held_out_proba_, labeled_mask(y)
        if is_random.all() and not np.isfinite(held_out).any():
            return None, None
        unlabeled = certainty[~labeled]
        expected = 1.0 - float(unlabeled.mean()) if len(unlabeled) else 0.0
        codes = np.searchsorted(model.classes_, y[labeled])
        error, std = estimate_error(
            held_out, codes, is_random=is_random, expected=expected
        )
        return float(error), float(std)

    def suggest(self, snapshot, state, n):
        """`Suggestions` of rows to label, first those in the middle of clusters."""
        model = snapshot.model
        with suited_threads(0):
            if model is not None:
                return model.suggest(n)
            geometry = self._model.geometry_
            known = np.zeros(geometry.sample.n_rows, dtype=bool)
            known[geometry.sample.given_row_idx[list(state.labels)]] = True
            return suggest_rows_from_geometry(geometry, known, n)

    def explain(self, snapshot, row, n=5):
        """The other labels that decide about a row: each with row, class and amount."""
        if snapshot.model is None:
            return []
        with suited_threads(0):
            found = snapshot.model.explain(self.X[[row]], n + 1)
        parts = found.rows[0], found.labels[0], found.amounts[0]
        listed = zip(*(part.tolist() for part in parts), strict=True)
        return [triple for triple in listed if triple[0] != row][:n]

    def find_clusters(self, n_clusters):
        """Rows of each cluster, the nearest to its center first.

        The coordinates are those of the first suggestions; largest clusters first.
        """
        from sklearn.cluster import KMeans

        geometry = self._model.geometry_
        features = spectral_features(geometry.spectral[0], geometry.bases)
        with suited_threads(0):
            means = KMeans(
                min(n_clusters, len(features)), n_init=4, random_state=self.seed
            ).fit(features)
        lengths, origin = means.transform(features), geometry.sample.origin_idx
        clusters = []
        for k in range(means.n_clusters):
            members = np.flatnonzero(means.labels_ == k)
            nearest = members[np.argsort(lengths[members, k], kind="stable")]
            clusters.append(origin[nearest].tolist())
        return sorted(clusters, key=len, reverse=True)


def describe_error(n_random, error, std):
    """How the page shows an estimated error, which a few random labels leave vague.

    A dict of `stage`, `text`, and `n_missing`, the random labels that are missing to
    the next stage. "none": there is no estimate; "unknown": with few labels of random
    rows even a bound would be misleading; "bound": the estimate plus one standard
    error, `bound` in whole percent; "estimate": with its standard error.
    """
    if error is None:
        return {"stage": "none", "n_missing": 0, "text": "unknown"}
    if n_random < N_KNOWN:
        missing = N_KNOWN - n_random
        return {"stage": "unknown", "n_missing": missing, "text": "not known yet"}
    if n_random < N_PRECISE:
        bound = min(math.ceil(100 * (error + std)), 100)
        facts = {"n_missing": N_PRECISE - n_random, "bound": bound}
        return {"stage": "bound", "text": f"below {bound} %", **facts}
    text = f"{100 * error:.1f} ± {100 * std:.1f} %"
    return {"stage": "estimate", "n_missing": 0, "text": text}


def choose_next(state, suggestions, taken, rng, n_rows):
    """The `Proposal` to show next; None if no row is left.

    `taken` are rows on other windows, or not to be seen; skipped rows are shown when
    nothing else is left.
    """
    every = SUGGESTIONS.check_every
    is_check = state.n_proposed % every == every - 1
    is_check = is_check and len(state.labels) >= SUGGESTIONS.n_first
    if suggestions is not None and not is_check:
        shut = {*state.labels, *taken, *state.skipped}
        listed = zip(
            suggestions.rows.tolist(),
            suggestions.is_check.tolist(),
            suggestions.reason,
            strict=True,
        )
        for row, check, reason in listed:
            if not check and row not in shut:
                text = _TEXTS.get(reason, reason)
                return Proposal(row, "suggested", text, _TEXTS_IF_SURE.get(reason, ""))
    free = np.ones(n_rows, dtype=bool)
    free[[*state.labels, *taken]] = False
    unseen = free.copy()
    unseen[list(state.skipped)] = False
    rows = np.flatnonzero(unseen if unseen.any() else free)
    if not len(rows):
        return None
    why = "check" if suggestions is not None else "random"
    text = _TEXTS[why]
    if not unseen.any():  # rows that were skipped are not a random sample
        why, text = "suggested", _TEXTS["skipped"]
    return Proposal(int(rng.choice(rows)), why, text)


_TEXTS = {
    "middle of a cluster": "It is in the middle of a cluster without a label.",
    "uncertain rows depend on it": "Its label would help with many uncertain rows.",
    "check": "Every fifth row is drawn at random, to estimate the error.",
    "random": "Drawn at random, as the model was not ready yet.",
    "skipped": "You skipped it before, and no other row is left.",
}
_TEXTS_IF_SURE = {
    "uncertain rows depend on it": "The model is sure of this row, but uncertain rows "
    "depend on it.",
}


def _coded(state):
    """Labeled rows of a state, and the places of their classes."""
    places = {name: i for i, name in enumerate(state.classes)}
    rows = np.fromiter(state.labels, dtype=np.intp, count=len(state.labels))
    known = [places[event.label] for event in state.labels.values()]
    return rows, np.array(known, dtype=np.intp)


def _first_other(X):
    """Position of a row that differs from the first; ValueError if all are the same."""
    from scipy import sparse

    for begin in range(1, X.shape[0], 1000):
        part = X[begin : begin + 1000]
        if sparse.issparse(X):
            first = sparse.vstack([X[:1]] * part.shape[0])
            differs = np.asarray(abs(part - first).sum(axis=1)).ravel() > 0
        else:
            differs = (part != X[:1]).any(axis=1)
        if differs.any():
            return begin + int(differs.argmax())
    raise ValueError(
        f"All {X.shape[0]:,} rows are the same; a model needs rows that differ."
    )
