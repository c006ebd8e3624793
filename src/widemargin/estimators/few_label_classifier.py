"""The classifier to reach for first: an average of models, weighted by few labels."""

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.parallel import delayed
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from widemargin.averaging import average_models, estimate_error
from widemargin.blocks import Blocks, anchor_rows, join_anchors
from widemargin.checks import check_choice, is_table, warn_of_order
from widemargin.estimators._candidates import (
    NAMES,
    SUPERVISED,
    Budget,
    class_probabilities,
    draw_candidates,
    fit_candidate,
    infer,
    list_candidates,
    prior_weights,
)
from widemargin.estimators._estimator import (
    Estimator,
    KnownLabelsScore,
    Method,
    check_classes,
    check_length,
    read_jobs,
    read_random_labels,
    read_rows,
    read_sample,
    set_features,
    values_at,
)
from widemargin.estimators.few_label_report import FewLabelReport, write_report
from widemargin.estimators.interaction import Explanation, Suspects
from widemargin.estimators.spectral_classifier import SpectralClassifier
from widemargin.estimators.table_encoder import TableEncoder
from widemargin.kernels import Rbf
from widemargin.labels import labeled_mask
from widemargin.linalg.random import as_generator
from widemargin.processes import parallel
from widemargin.progress import Progress
from widemargin.solvers.active_learning import Suggestions, rank_suspects
from widemargin.solvers.driver import Interruptible
from widemargin.stored import is_finite, require

_COMPARED_LABELS = 100  # that a column must equal to be looked at more closely
_NEGLIGIBLE_WEIGHT = 1e-3  # candidates below it do not predict


@dataclass(eq=False, repr=False)
class FewLabelClassifier(KnownLabelsScore, Estimator):
    r"""Average of models with different assumptions, weighted by few labels.

    The classifier to reach for first. It scores each model on held-out labels and
    averages their probabilities with weights from these scores. Print ``report_`` to
    see what it found.

    Parameters
    ----------
    candidates : "auto", list of str or dict, default="auto"
        The models besides the supervised one: those of the `budget`, some of them by
        name (see Notes), or your own classifiers as ``{name: estimator}``. These must
        accept partly labeled targets and have `predict_proba`. They are given arrays
        without column names, classes as codes, and `sample_weight` if you pass it,
        which their `fit` must then accept.
    budget : {"fast", "balanced", "thorough"} or Budget, default="fast"
        How many candidates are fitted, and on how many rows, see Notes.
    n_jobs : int or None, default=None
        Number of candidates that are fitted in parallel, as in scikit-learn. The result
        does not depend on it.
    random_state, verbose
        As in `LaplacianSVC`: the seed of rows, folds and candidates, and whether to
        print a line per candidate.

    Attributes
    ----------
    report_ : FewLabelReport
        What was tried and with which weight, the estimated error, and the rows whose
        label would help the most.
    models_ : list of classifiers
        The fitted candidates, the supervised model first. Their classes are codes:
        positions in ``classes_``.
    names_, weights_ : list of str, ndarray of shape (n_candidates,)
        Their names, and their weights in the average.
    encoder_ : TableEncoder or None
        The encoder of a data frame with text, dates or missing cells; print its
        `describe()` to see what was done with each column. `n_features_in_` counts the
        encoded features.
    certainty_ : ndarray of shape (n_samples,)
        Probability of the class of each training row; 1 for labeled rows, unless their
        weight is zero.
    classes_, transduction_, held_out_proba_
        See :class:`~widemargin.estimators.Classifier`.
    row_idx_ : ndarray of int or None
        After a fit on blocks of more than 20,000 rows, the rows that `transduction_`
        and `certainty_` are about: those with labels, and 20,000 random ones.

    Notes
    -----
    The supervised model is ``SpectralClassifier(families="labels")``. The "fast" budget
    adds the first two of these, "balanced" the first six, "thorough" all: "spectral",
    "low_density", "transductive", "laplacian", "self_labeling", "label_search",
    "tri_class". "spectral" and "low_density" are fitted on all rows, the others on a
    random subset if there are many rows. Copies of a labeled row with the same label
    count as one.

    The weight of a candidate is proportional to its prior times exp(-loss / 2), with
    the summed log loss of held-out labels. Candidates of one class share the prior of
    their family, so that a copy of one changes nothing. The prior of "spectral" is
    larger than that of the others while classes have one or two labels. Beside it the
    supervised model has no weight and serves for comparison, because the spectral model
    averages over it. Among its models, those that leave a class nearly without rows
    have less weight if labels of random rows suggest classes of similar size.
    :doc:`/guide/few_labels` explains this rule, where it is safe and where it is not,
    and has the rows of each budget.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from widemargin import FewLabelClassifier
    >>> from widemargin.datasets import hide_labels
    >>> X, y = load_digits(return_X_y=True)
    >>> X, y = X[:600], y[:600]
    >>> y_partial = hide_labels(y, 30, rng=0)  # -1 for all but 30 rows
    >>> model = FewLabelClassifier(random_state=0).fit(X, y_partial)
    >>> bool(model.score(X, y) > 0.85)
    True
    >>> len(model.report_.label_next)
    10
    """

    candidates: object = "auto"
    _: KW_ONLY
    budget: object = "fast"
    n_jobs: int | None = None
    random_state: object = None
    verbose: bool = False

    value_families = {"budget": Budget}
    saved_state = ("classes_", "models_", "names_", "weights_", "report_", "encoder_")
    training_state = ("_fitted", "_joined")
    encodes_tables = True
    encoder_ = None  # also of model files that were written without one
    row_idx_ = None
    methods = (
        Method(
            "auto",
            "several methods, weighted by held-out labels; start here",
            needs_unlabeled=False,
            n_folds=0,
        ),
    )

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        random_labels: ArrayLike | None = None,
    ) -> Self:
        """Fit on labeled and unlabeled rows.

        Parameters
        ----------
        X, y
            As in :meth:`Classifier.fit <widemargin.estimators.Classifier.fit>`. A table
            with text, dates or missing cells is encoded by a `TableEncoder`, which
            imputes and scales its numbers; arrays, and tables that hold a number in
            each cell, stay as they are. Rows that do not fit into memory are
            `~widemargin.blocks.Blocks`, which have the labels with them, see
            :doc:`/scaling`.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each row in every candidate. A label of weight below one also
            counts less when candidates are scored and in the estimated error; if all
            weights are below one, only their ratios matter. Rows of weight zero are
            left out.
        random_labels : array-like of bool, shape (n_samples,), optional
            As in `SpectralClassifier.fit`. The error is estimated from these labels
            only, because rows that were chosen, by `suggest` for example, are not a
            random sample.

        Notes
        -----
        An interrupt (Ctrl-C) leaves a model of the candidates that were fitted so far,
        and is then passed on.
        """
        self.row_idx_ = None
        if isinstance(X, Blocks):
            if not (y is None and sample_weight is None and random_labels is None):
                raise ValueError(
                    "Blocks have the labels with them, as in ArrayBlocks(X, y); pass "
                    "neither y nor weights to fit of FewLabelClassifier beside them. "
                    "A list of arrays or memory maps in place of Blocks takes "
                    "sample_weight and random_labels."
                )
            return self._fit_blocks(X)
        _warn_of_mistakes(X, y)
        # Names of the rows, with which `update` compares those of its labels
        self._row_names = X.iloc[:, :0] if hasattr(X, "iloc") and is_table(X) else None
        X = self._encode(X, y, reset=True)
        return self._fit(X, y, sample_weight, random_labels)

    def _fit_blocks(self, blocks):
        """Fit on gathered rows and the graph of all rows."""
        self._check_parameters(is_weighted=False)
        self.encoder_, progress = None, Progress.of(self)
        rng = as_generator(self.random_state)
        progress.say(f"reading {len(blocks):,} rows")
        say = progress.say if progress.verbose else None
        found, graph = anchor_rows(blocks, rng, say=say)
        rows, who = found.anchored(graph), f"X of {type(self).__name__}"
        set_features(self, blocks.n_features, blocks.feature_names)
        rows.check(who)
        rows.check_spreads(who, blocks.feature_names)
        self.row_idx_ = None if graph is None else found.idx
        return self._fit(rows, found.y, None, None)

    def _encode(self, X, y=None, *, reset=False):
        """The features of a table that needs encoding; others stay as they are."""
        if reset:
            self.encoder_ = _fit_encoder(X, y)
        return X if self.encoder_ is None else self.encoder_.transform(X)

    def update(
        self,
        y: Any,
        *,
        sample_weight: ArrayLike | None = None,
        random_labels: ArrayLike | None = None,
    ) -> Self:
        """Update the model with new labels for the rows of the last `fit`.

        The result equals that of a new fit if `random_state` is a number and X has not
        changed since. The candidates "spectral" and "low_density" reuse what they
        computed from the rows, unless there are more than they are fitted on; all
        others are fitted again.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            All labels, as in `fit`.
        sample_weight : array-like of shape (n_samples,), optional
            As in `fit`; that of the last fit is not kept.
        random_labels : array-like of shape (n_samples,), optional
            As in `fit`. By default, the predictions are those of a `fit` without this
            mask, but the estimated error is not based on the labels of rows that the
            report or `suggest` proposed, unless they were drawn at random as a check.
        """
        rows, fitted = self._read_fitted("update")
        if self.row_idx_ is not None:
            raise ValueError(
                "update of FewLabelClassifier needs all rows, and a fit on blocks "
                "keeps some of them; call fit again with blocks of the new labels."
            )
        check_length(self, y, len(rows))
        warn_of_order(self._row_names, y)
        before = {part.name: part for part in fitted}
        return self._fit(rows, y, sample_weight, random_labels, before)

    def _fit(self, X, y, sample_weight, random_labels, before=None):
        """Fit; candidates on the same rows as `before`, by name, are updated."""
        is_weighted, before = sample_weight is not None, before or {}
        budget = self._check_parameters(is_weighted=is_weighted)
        sample = read_sample(self, X, y, sample_weight, merge="none")
        sample, random_rows = self._mark_random(sample, random_labels, before)
        learned = self._learn(sample, budget, before, is_weighted=is_weighted)
        inferred = self._store(learned, random_rows, budget, is_update=bool(before))
        self.report_ = self._report(learned, inferred, random_rows)
        if learned.was_interrupted:
            raise KeyboardInterrupt
        return self

    def _mark_random(self, sample, random_labels, before):
        """The sample, marked if all its labels are random, and a mask of such rows.

        Without a mask of the user's own, those of an update are what the fit remembers.
        """
        random_rows = read_random_labels(self, random_labels, len(sample.given))
        is_random = random_rows[sample.origin_idx[sample.label_idx]]
        if before and random_labels is None:
            random_rows = self._remembered_random_rows()
        return replace(sample, is_drawn=bool(is_random.all())), random_rows

    def _learn(self, sample, budget, before, *, is_weighted):
        """Fit the candidates, and weight them by held-out labels: a `_Learned`."""
        rng, in_blocks = as_generator(self.random_state), sample.rows.in_blocks
        listed = list_candidates(self.candidates, budget, in_blocks=in_blocks)
        seed = int(rng.integers(2**31))  # the same for all, so that copies are the same
        if in_blocks:
            sample.rows.anchors = self._join(sample, seed, is_update=bool(before))
        draw = draw_candidates(sample, rng, is_weighted=is_weighted)
        fitted = []
        with Interruptible() as work, Progress.of(self).watched():
            self._fit_candidates(fitted, listed, draw, seed, budget, rng, before)
        draw.release()
        if not fitted:
            raise KeyboardInterrupt
        prior = prior_weights(listed[: len(fitted)], sample)
        held_out = np.array([part.held_out for part in fitted])
        average = average_models(held_out, sample.codes, prior, draw.counts)
        skipped = [candidate.name for candidate in listed[len(fitted) :]]
        skipped = skipped if work.was_interrupted else []
        return _Learned(
            sample, draw, fitted, prior, average, skipped, work.was_interrupted
        )

    def _store(self, learned, random_rows, budget, *, is_update):
        """Set the fitted attributes except for the report; predict the other rows."""
        sample, draw, average = learned.sample, learned.draw, learned.average
        self.classes_, self.weights_ = sample.classes, average.weights
        self.held_out_proba_ = sample.spread_to_given(average.held_out)
        self.models_ = [part.model for part in learned.fitted]
        self.names_ = [part.name for part in learned.fitted]
        n_unlabeled = len(draw.unlabeled_idx)
        Progress.of(self).say(f"predicting {n_unlabeled:,} unlabeled rows")
        found = infer(self.models_, self._used_weights(), draw, budget.compared_rows)
        self._transduce(sample, draw, found)
        self._fitted = sample.given, learned.fitted
        self._known_rows = sample.given_codes >= 0, random_rows
        if not is_update:
            self._is_proposed = np.zeros(len(sample.given), dtype=bool)
        self._joined = sample.origin_idx, sample.rows.anchors
        return found

    def _report(self, learned, inferred, random_rows):
        """What was tried, how well it does, and which labels to look at next."""
        sample, draw, average = learned.sample, learned.draw, learned.average
        is_random = random_rows[sample.origin_idx[sample.label_idx]]
        error = _estimate_error(average, sample, draw, inferred.certainty, is_random)
        suspects = rank_suspects(average.held_out, sample.codes)
        suspects = _name_suspects(sample, *suspects)
        chosen = np.flatnonzero((sample.given_codes >= 0) & ~random_rows)
        report = write_report(
            learned.fitted, average, error, draw, inferred, learned.prior,
            learned.skipped,
            is_random=is_random,
            chosen_rows=self._positions(chosen),
            suggested=self._suggest_if_possible(),
            suspects=replace(suspects, rows=self._positions(suspects.rows)),
        )  # fmt: skip
        notes, graph = [], sample.rows.anchors
        if graph is not None:
            notes.append(_describe_anchors(graph, len(sample.given)))
        if self.encoder_ is not None:
            notes.extend(_describe_left_out(self.encoder_))
        return replace(report, messages=(*report.messages, *notes))

    def _remembered_random_rows(self):
        """Rows that had random labels, and those without a label that may get one."""
        was_labeled, was_random = self._known_rows
        return np.where(was_labeled, was_random, ~self._is_proposed)

    def _join(self, sample, seed, *, is_update):
        """The graph of anchors of rows in a list; that of the last fit in an update."""
        if is_update and np.array_equal(self._joined[0], sample.origin_idx):
            return self._joined[1]
        return join_anchors(sample.rows, sample.order, np.random.default_rng(seed))

    def suggest(self, n: int = 10) -> Suggestions:
        """Rows whose labels would help the most, see `SpectralClassifier.suggest`.

        The uncertainty of rows is that of the average. Rows for which `is_check` of the
        result is true are drawn at random. If the proposed rows are labeled, the error
        that is estimated after `update` ignores their labels, except for these.
        """
        if self._read_fitted("suggest") and self._known_rows[0].all():
            raise ValueError(
                "suggest of FewLabelClassifier needs unlabeled rows, and all rows have "
                "labels; to check labels, see report_.suspect_labels."
            )
        spectral, given_idx = self._closed_form("suggest")
        found = spectral.suggest(n, certainty=self.certainty_[given_idx])
        proposed = given_idx[found.rows]
        self._is_proposed[proposed] = ~found.is_check
        return replace(found, rows=self._positions(proposed))

    def _positions(self, idx):
        """Positions in X of some of the rows that were learned from."""
        return idx if self.row_idx_ is None else self.row_idx_[idx]

    def explain(self, X: Any, n: int = 5) -> Explanation:
        """The labels behind each prediction, see `SpectralClassifier.explain`.

        The class of a row is that of the average. The amounts are those of the
        candidate "spectral", whose weight is in the report; the margin is negative if
        this candidate predicts another class.
        """
        spectral, given_idx = self._closed_form("explain")
        rows = read_rows(self, self._encode(X), reset=False)
        codes = values_at(self._mix, rows).argmax(axis=1)
        found = spectral.explain(rows, n, classes=spectral.classes_[codes])
        return replace(
            found,
            rows=self._positions(given_idx[found.rows]),
            labels=self.classes_[found.labels],
            predicted=self.classes_[found.predicted],
            others=self.classes_[found.others],
        )

    def _closed_form(self, who):
        """The candidate "spectral", and the given rows that it learned from."""
        for part in self._read_fitted(who)[1]:
            if _can_suggest(part):
                return part.model, part.given_idx
        raise ValueError(
            f"{who} of FewLabelClassifier needs the candidate 'spectral', which is not "
            f"among {self.names_}; fit with it, and with unlabeled rows."
        )

    def _read_fitted(self, who):
        """The training rows and the fitted candidates, unless read from a file."""
        check_is_fitted(self, "models_")
        if not hasattr(self, "_fitted"):
            raise ValueError(
                f"{who} of FewLabelClassifier needs what fit computed from the "
                "training rows, which model files do not contain; call fit(X, y) "
                "first."
            )
        return self._fitted

    def _suggest_if_possible(self):
        """What `suggest` proposes; nothing if it cannot."""
        if any(map(_can_suggest, self._fitted[1])):
            return self.suggest()
        return Suggestions(np.zeros(0, dtype=np.intp), np.zeros(0, dtype=bool), ())

    def _fit_candidates(self, fitted, listed, draw, seed, budget, rng, before):
        """Append the fitted candidates to a list, one by one."""
        progress = Progress.of(self)
        # The supervised model is fitted to labeled rows; its width is that of all rows.
        rows = draw.sample.rows
        kernel = rows.part(rows.distinct()[0]).fit_width(Rbf("scale"), rng)
        first = fit_candidate(listed[0], draw, seed, budget.fold_rows, kernel)
        fitted.append(first)
        progress.say(_describe(first, draw))
        if not len(draw.unlabeled_idx):  # nothing that other models could learn from
            return
        jobs = parallel(self.n_jobs, return_as="generator")
        tasks = (
            delayed(fit_candidate)(
                candidate,
                draw,
                seed,
                budget.fold_rows,
                kernel,
                before.get(candidate.name),
            )
            for candidate in listed[1:]
        )
        for part in jobs(tasks):
            fitted.append(part)
            progress.say(_describe(part, draw))

    def _transduce(self, sample, draw, inferred):
        """Store labels of all given rows; those that were left out are predicted."""
        codes, missing_codes = sample.row_codes, ()
        codes[draw.unlabeled_idx] = inferred.codes
        self.certainty_ = np.ones(len(sample.given))
        self.certainty_[sample.origin_idx[draw.unlabeled_idx]] = inferred.certainty
        missing = sample.missing_idx
        if len(missing):
            mixture = values_at(self._mix, sample.given, missing)
            missing_codes = mixture.argmax(axis=1)
            self.certainty_[missing] = mixture.max(axis=1)
        self.transduction_ = sample.transduce(codes, missing_codes)

    def _check_parameters(self, *, is_weighted):
        name = type(self).__name__
        read_jobs(self)
        if isinstance(self.candidates, dict):
            self._check_own_candidates(is_weighted=is_weighted)
        elif isinstance(self.candidates, str):
            check_choice(self, "candidates", ("auto",), "or a list of names or a dict")
        else:
            names = [str(c) for c in np.atleast_1d(self.candidates).tolist()]
            if not set(names) <= set(NAMES) or len(set(names)) < len(names):
                raise ValueError(
                    f"candidates of {name} must be a list of some of {list(NAMES)}, "
                    f"each once, got {self.candidates!r}."
                )
        return Budget.read(self.budget, f"budget of {name}")

    def _check_own_candidates(self, *, is_weighted):
        who = type(self).__name__
        for name, estimator in self.candidates.items():
            is_valid = isinstance(name, str) and hasattr(estimator, "predict_proba")
            if not is_valid or name == SUPERVISED:
                raise ValueError(
                    f"candidates of {who} must be classifiers with predict_proba under "
                    f"a name other than {SUPERVISED!r} each, got {name!r}: "
                    f"{estimator!r}."
                )
            if is_weighted and not has_fit_parameter(estimator, "sample_weight"):
                raise ValueError(
                    f"candidate {name!r} of {who}, a {type(estimator).__name__}, has "
                    "no sample_weight in its fit; leave it out, or fit without weights."
                )

    def _used_weights(self):
        """Weights of the candidates that predict."""
        weights = np.where(self.weights_ > _NEGLIGIBLE_WEIGHT, self.weights_, 0.0)
        return weights / weights.sum()

    def predict_proba(self, X: Any) -> np.ndarray:
        """Weighted mean of the candidates' probabilities, (n_samples, n_classes)."""
        check_is_fitted(self, "models_")
        rows = read_rows(self, self._encode(X), reset=False)
        return values_at(self._mix, rows)

    def _mix(self, X):
        """Weighted mean of the candidates' probabilities."""
        weights, n_classes = self._used_weights(), len(self.classes_)
        return sum(
            weight * class_probabilities(model, X, n_classes)
            for weight, model in zip(weights, self.models_, strict=True)
            if weight > 0
        )

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the class probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def decision_function(self, X: Any) -> np.ndarray:
        """Log odds of the second of two classes, or logarithms of all probabilities."""
        # The logarithm of zero would be minus infinity, which scorers refuse.
        tiny = np.finfo(np.float64).tiny
        logs = np.log(np.maximum(self.predict_proba(X), tiny))
        return logs[:, 1] - logs[:, 0] if logs.shape[1] == 2 else logs

    def predict(self, X: Any) -> np.ndarray:
        """Class of each row, as in ``classes_``."""
        probabilities = self.predict_proba(X)
        return self.classes_[probabilities.argmax(axis=1)]

    def check_state(self):
        """Raise ValueError unless weights, names, models and report fit each other."""
        super().check_state()
        n_models = len(self.models_)
        require(isinstance(self.models_, list) and n_models > 0, self, "models_")
        names, weights = self.names_, self.weights_
        fits = isinstance(names, list) and all(isinstance(name, str) for name in names)
        require(fits and len(names) == n_models, self, "names_")
        fits = is_finite(weights, 1) and len(weights) == n_models
        fits = fits and bool((weights >= 0).all()) and abs(weights.sum() - 1) < 1e-6
        require(fits, self, "weights_")
        check_classes(self)
        for model in self.models_:
            self._check_codes(model)
        fits = isinstance(self.report_, FewLabelReport)
        require(fits and len(self.report_.candidates) == n_models, self, "report_")

    def trial_row(self):
        """A table with a row of empty cells, if the model takes tables."""
        return None if self.encoder_ is None else self.encoder_.empty_row()

    def _check_codes(self, model):
        """Raise unless a model predicts some of the classes, by their codes."""
        is_single = hasattr(model, "classes_") and not hasattr(model, "models_")
        require(is_single, self, "models_")
        fits = model.n_features_in_ == self.n_features_in_
        require(fits, model, "n_features_in_")
        codes = model.classes_
        fits = isinstance(codes, np.ndarray) and codes.ndim == 1
        fits = fits and codes.dtype.kind == "i" and len(codes) > 1
        fits = fits and bool((np.diff(codes) > 0).all())  # each once
        fits = fits and codes[0] >= 0 and codes[-1] < len(self.classes_)
        require(fits, model, "classes_")


@dataclass(frozen=True)
class _Learned:
    """Fitted candidates, and their average by held-out labels."""

    sample: object
    draw: object  # of its rows, for the candidates
    fitted: list  # one `FittedCandidate` for each
    prior: np.ndarray
    average: object
    skipped: list  # names of candidates that an interrupt left out
    was_interrupted: bool


def _warn_of_mistakes(X, y):
    """Warn if X has a column that is y, or if y has the rows of X in another order."""
    is_plain = isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "iuf"
    if is_plain and np.shape(y) == (len(X),):
        labels = np.asarray(y)
        is_number = labels.dtype.kind in "iuf"
        # A first look at some labels, without pandas, which takes time to import
        some = np.flatnonzero(labeled_mask(labels))[: _COMPARED_LABELS * is_number]
        is_equal = (X[some] == labels[some, None]).all(axis=0)
        if len(some) and is_equal.any():
            from widemargin.tables.targets import warn_of_equal_columns

            warn_of_equal_columns(X, labels, np.flatnonzero(is_equal))
    warn_of_order(X, y)


def _fit_encoder(X, y):
    """The encoder of a table with text, dates or missing cells; None for numbers."""
    if not is_table(X):
        return None
    from widemargin.tables.columns import needs_encoding  # needs pandas

    return TableEncoder().fit(X, y) if needs_encoding(X) else None


def _estimate_error(average, sample, draw, certainty, is_random):
    """The error of the average, by labels of random rows and by its certainty."""
    expected = 0.5 * (1.0 - 1.0 / sample.n_classes)  # half of chance
    if len(certainty):  # of the unlabeled rows
        expected = 1.0 - certainty.mean()
    return estimate_error(
        average.held_out,
        sample.codes,
        draw.counts,
        is_random=is_random,
        expected=expected,
    )


def _can_suggest(part):
    """Whether a fitted candidate has closed-form models over spectra."""
    is_spectral = isinstance(part.model, SpectralClassifier)
    return is_spectral and part.model.geometry_.components is not None


def _name_suspects(sample, suspects, probabilities, best):
    """Suspect labels with positions in X and class names."""
    rows = sample.origin_idx[sample.label_idx[suspects]]
    return Suspects(rows, probabilities, sample.classes[best])


def _describe_left_out(encoder):
    """A note on the columns of a table that are not used."""
    frame = encoder.frame()
    names = frame["column"][frame["used as"] == "left out"].tolist()
    if names:
        listed = ", ".join(map(str, names[:5])) + (", ..." if len(names) > 5 else "")
        noun = "column" if len(names) == 1 else "columns"
        yield f"{noun} left out: {listed} (encoder_.describe() says why)"


def _describe_anchors(graph, n_kept):
    """A note on rows that the numbers of the report do not show."""
    note = (
        f"all {graph.n_rows:,} rows count in the graph, by way of "
        f"{len(graph.anchors):,} anchors"
    )
    if n_kept < graph.n_rows:
        note += f"; numbers of unlabeled rows are those of {n_kept:,} rows that were"
        note += " kept"
    return f"{note}."


def _describe(part, draw):
    """A line on how a candidate did."""
    scored = np.isfinite(part.held_out).all(axis=1)
    wrong = part.held_out[scored].argmax(axis=1) != draw.sample.codes[scored]
    return (
        f"{part.name}, {wrong.sum()} of {len(wrong)} held-out labels wrong, "
        f"{part.seconds:.1f} s"
    )
