"""What the self-labeling machines share."""

from dataclasses import replace

import numpy as np

from widemargin.estimators._checks import check_choice, check_number
from widemargin.estimators._kernel_machine import KernelClassifier
from widemargin.estimators._reading import read_sample
from widemargin.labels import decide, sign_coding
from widemargin.linalg.random import as_generator
from widemargin.objectives.class_sizes import factor_bounds, size_bounds
from widemargin.solvers.alternating import alternate_from
from widemargin.solvers.relabeling import LOSSES, Relabeling
from widemargin.solvers.result import SolveResult, Status


class SelfLabeler(KernelClassifier):
    """A regressor and the labels of the unlabeled samples, found in turns.

    A subclass learns by `_learn`, and calls `_label` with a maker of regressors.
    """

    _widths = ("mean", "scale", "median")

    def fit(self, X, y, sample_weight=None):
        """Fit on labeled and unlabeled samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            All samples; their Gram matrix if ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Labels of any type. Integer -1, NaN or None marks an unlabeled sample.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each sample in its part of the loss, labeled or unlabeled.
            Samples of weight zero are left out altogether.

        Returns
        -------
        self

        Notes
        -----
        An interrupt (Ctrl-C) leaves a model with the labels so far, and is then passed
        on.
        """
        self._check_parameters()
        rng = as_generator(self.random_state)
        given, used, labels, sample = read_sample(self, X, y, sample_weight)
        sample = sample.sorted(pairwise=self.kernel == "precomputed")
        self.classes_ = labels.classes
        self._shares(sample)  # refuses a wrong balance even if nothing is unlabeled
        codes, result = self._learn(given, sample, rng)
        inferred = self.classes_[decide(self._evaluate(given))]
        inferred[sample.origin] = self.classes_[codes]
        inferred[used[labels.labeled]] = labels.classes[labels.codes]
        self.transduction_ = inferred
        self._store(result)
        return self

    def _check_parameters(self):
        self._check_kernel()
        check_number(self, "labeled_weight", low=0, strict=True)
        if isinstance(self.n_landmarks, str):
            check_choice(self, "n_landmarks", ("auto",), "or a number >= 1 or None")
        if not isinstance(self.balance, dict):
            names = ("labeled", "equal", None)
            check_choice(self, "balance", names, "or a dict of fractions")
        if isinstance(self.balance_tolerance, str):
            check_choice(self, "balance_tolerance", ("auto",), "or a number >= 0")
        else:
            check_number(self, "balance_tolerance", low=0)
        check_choice(self, "threshold", LOSSES)
        check_number(self, "max_iter", low=1, integer=True)
        check_number(self, "label_tol", low=0)
        if self.max_unlabeled_ratio is not None:
            check_number(self, "max_unlabeled_ratio", low=0, strict=True)
        self._annealing()

    def _annealing(self):
        """Weights of an unlabeled sample as asked for, one after the other."""
        try:
            weights = np.atleast_1d(self.annealing)
        except ValueError:  # sequences of different lengths
            weights = np.zeros(0)
        is_valid = weights.ndim == 1 and weights.dtype.kind in "fi" and len(weights)
        if not is_valid or not (weights > 0).all() or not np.isfinite(weights).all():
            raise ValueError(
                f"annealing of {type(self).__name__} must hold numbers > 0, got "
                f"{self.annealing!r}."
            )
        return tuple(weights.astype(float).tolist())

    def _shares(self, sample):
        """Share of each class among the unlabeled rows, in the order of the names."""
        if isinstance(self.balance, dict):
            classes = sample.labels.classes.tolist()
            return self._read_shares(classes, f"classes {classes}")
        if self.balance == "equal":
            return np.full(sample.labels.n_classes, 1.0 / sample.labels.n_classes)
        return sample.label_shares()

    def _bounds(self, sample):
        """Bounds of the number of unlabeled rows in each class."""
        n_classes, n_rows = sample.labels.n_classes, sample.n_unlabeled
        if self.balance is None:
            return np.zeros(n_classes, dtype=int), np.full(n_classes, n_rows)
        shares = self._shares(sample)
        if self.balance_tolerance == "auto":
            return factor_bounds(shares, n_rows)
        return size_bounds(shares, self.balance_tolerance, n_rows)

    def _path(self, sample):
        """Weights of an unlabeled sample within the limit of their sum, in turns."""
        path, ratio = self._annealing(), self.max_unlabeled_ratio
        if ratio is None or not sample.n_unlabeled:
            return path
        most = ratio * self._even_weight(sample)
        return tuple(dict.fromkeys(min(weight, most) for weight in path))

    def _even_weight(self, sample):
        """Weight with which unlabeled samples together weigh as much as the labels."""
        labeled = sample.labels.labeled
        sums = [sample.row_weights[rows].sum() for rows in (labeled, ~labeled)]
        return self.labeled_weight * sums[0] / sums[1]

    def _contest(self, sample):
        """Place in the path where the best of several starts is chosen.

        The last one at which unlabeled samples do not outweigh the labels, but not the
        first one, which hardly depends on the start.
        """
        path, even = self._path(sample), self._even_weight(sample)
        within = [place for place, weight in enumerate(path) if weight <= even]
        return max([min(1, len(path) - 1), *within])

    def _weights(self, sample, unlabeled_weight):
        """Weight of each row in the regression.

        The mean weight of unlabeled rows is the unit, since copies of labeled rows are
        one row.
        """
        labeled = sample.labels.labeled
        unit = sample.row_weights[~labeled if sample.n_unlabeled else labeled].mean()
        scale = np.where(labeled, self.labeled_weight, unlabeled_weight)
        return scale * sample.row_weights / unit

    def _relabeling(self, sample):
        """How scores become labels."""
        labeled = sample.labels.labeled
        given = np.zeros(len(labeled), dtype=np.intp)
        given[labeled] = sample.labels.codes
        weights = self._weights(sample, self._path(sample)[-1])
        return Relabeling(
            given,
            ~labeled,
            *self._bounds(sample),
            self.threshold,
            weights[labeled],
            weights[~labeled],
        )

    def _label(self, make_regressor, sample, codes, directions=()):
        """Labels of all rows, the last regressor, and how it ended.

        `codes` are labels to start from; None for those of a regressor that hardly sees
        the unlabeled rows. `directions` are scores, (n, 1) each, that give more labels
        to start from, in the middle of the path. An interrupt keeps what the last
        regressor found; before the first one it is passed on.
        """
        relabel, n_classes = self._relabeling(sample), sample.labels.n_classes
        regressor = None
        if codes is None:
            signs = sign_coding(relabel.given, n_classes)
            signs[~sample.labels.labeled] = 0.0
            regressor = make_regressor(_HARDLY)
            try:
                codes = relabel(regressor.scores(signs))
            except KeyboardInterrupt:
                codes = relabel(np.zeros_like(signs))
                return codes, regressor, SolveResult(codes, 0, Status.INTERRUPTED, 0)
        result = SolveResult(codes, 0.0, Status.INTERRUPTED, 0)
        contest = self._contest(sample) if directions else None
        for place, weight in enumerate(self._path(sample)):
            self._say(f"weight of an unlabeled sample {weight:g}")
            starts = [codes]
            try:
                if place == contest:
                    starts += [relabel(scores) for scores in directions]
                    self._say(f"the best of {len(starts)} starts goes on")
                regressor = make_regressor(weight)
            except KeyboardInterrupt:
                if regressor is None:
                    raise
                result = replace(result, status=Status.INTERRUPTED)
                break
            result = alternate_from(
                starts,
                lambda codes, r=regressor: r.scores(sign_coding(codes, n_classes)),
                relabel,
                lambda codes, r=regressor: r.surprise(sign_coding(codes, n_classes)),
                margin=_TRUST * relabel.label_weights.sum() / self.labeled_weight,
                max_iter=self.max_iter,
                tol=self.label_tol,
                callback=self._report,
            )
            codes = result.solution
            if result.status is Status.INTERRUPTED:
                break
        return codes, regressor, result

    def _report(self, n_iter, history):
        """Print a line of progress."""
        self._say(f"round {n_iter}: {history['objective'][-1]:.0f} labels changed")


_TRUST = 0.05  # what each label adds to the log odds of the start that they give
_HARDLY = 1e-6  # weight of an unlabeled sample for the machine to start from
