"""What the machines with a hinge loss on unlabeled samples share."""

import warnings
from dataclasses import replace

import numpy as np

from widemargin.estimators._checks import check_choice, check_number
from widemargin.estimators._hinge_machines import HingeMachineMixin
from widemargin.estimators._hinge_sample import collect_hinge_sample, draw_aside
from widemargin.estimators._kernel_machine import KernelClassifier
from widemargin.estimators._path_average import deal_sample, draw_panel, weigh_path
from widemargin.estimators._reading import read_rows
from widemargin.labels import decide, has_label, labeled_mask, read_labels
from widemargin.linalg.random import as_generator
from widemargin.solvers.hinge_machine import WeightMachine
from widemargin.solvers.majorize import BranchProblem, majorize_minimize
from widemargin.solvers.result import Status, worst
from widemargin.solvers.temperature import DEFAULT_SLOPE

_FOLD_TOL = 10.0  # held-out labels ask for the side of the boundary, not for digits


class HingeClassifier(HingeMachineMixin, KernelClassifier):
    """One-vs-rest machines with the hinge loss, and another on unlabeled samples.

    A subclass says which one, by `_loss`, and which weights "auto" tries.
    """

    _auto_weights = (0.1, 0.3, 1.0)
    irrelevant_label, irrelevant_weight, epsilon = None, 1.0, 0.0  # unless parameters
    n_annealing = 1

    def fit(self, X, y, sample_weight=None):
        """Fit on labeled and unlabeled samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            All samples; their Gram matrix if ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Labels of any type. Integer -1, NaN or None marks an unlabeled sample.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each sample in its part of the loss, labeled or unlabeled; labels
            that are held out count in proportion to theirs. Samples of weight zero are
            left out altogether.

        Returns
        -------
        self

        Notes
        -----
        An interrupt (Ctrl-C) leaves a model with the best function so far, and is then
        passed on.
        """
        self._check_parameters()
        rng = as_generator(self.random_state)
        given, labels, used, irrelevant, collected = self._read(X, y, sample_weight)
        sample, rows, origin = collected
        self.classes_ = labels.classes
        self._shares(sample)  # refuses a wrong balance even if nothing is unlabeled
        kernel = self._make_kernel(rows, rng)
        machine, basis = self._make_machine(kernel, rows, rng)
        function, result = self._learn(machine, sample, rng)
        self._keep_function(kernel, basis, given, origin, function)
        scores, labeled = self._evaluate(given), used[labels.labeled]
        self.transduction_ = self.classes_[decide(scores)]
        unlabeled = origin[sample.unlabeled_idx]
        self.transduction_[unlabeled] = self.classes_[
            self._decide(scores[unlabeled], sample)
        ]
        self.transduction_[labeled] = labels.classes[labels.codes]
        self._store_relevance(scores, labeled, irrelevant)
        self._store(result)
        return self

    def _decide(self, scores, sample):
        """Class codes of the unlabeled samples."""
        return decide(scores)

    def _store_relevance(self, scores, labeled, irrelevant):
        """Nothing, if samples cannot be irrelevant."""

    def _check_parameters(self):
        self._check_kernel()
        check_number(self, "C", low=0, strict=True)
        if isinstance(self.unlabeled_weight, str):
            check_choice(self, "unlabeled_weight", ("auto",), "or a number >= 0")
        else:
            check_number(self, "unlabeled_weight", low=0)
        if not isinstance(self.balance, dict):
            check_choice(self, "balance", ("labeled", None), "or a dict of fractions")
        check_number(self, "n_annealing", low=1, integer=True)
        self._check_machine()
        check_number(self, "max_iter", low=1, integer=True)

    def _read(self, X, y, sample_weight):
        """What the user passed, checked."""
        X, weights = read_rows(self, X, y, sample_weight)
        irrelevant = self._find_irrelevant(y)
        known = (weights > 0) & ~irrelevant
        labels, used = read_labels(y, known), np.flatnonzero(known)
        aside = np.flatnonzero(irrelevant & (weights > 0))
        sample = collect_hinge_sample(
            X, labels, weights, used, aside, float(self.C), pairwise=self._is_pairwise
        )
        return X, labels, used, irrelevant, sample

    def _find_irrelevant(self, y):
        """Which samples are known to be irrelevant."""
        label = self.irrelevant_label
        is_label = label is None or (np.isscalar(label) and labeled_mask([label])[0])
        if not is_label:
            raise ValueError(
                f"irrelevant_label of {type(self).__name__} must be None or a value "
                f"in y that does not mark unlabeled samples, got {label!r}."
            )
        irrelevant = has_label(y, label)
        if self.irrelevant_label is not None and not irrelevant.any():
            warnings.warn(
                f"{type(self).__name__} found no sample with the irrelevant_label "
                f"{self.irrelevant_label!r} ({type(label).__name__}) in y.",
                UserWarning,
                stacklevel=4,
            )
        return irrelevant

    def _learn(self, machine, sample, rng):
        """The function, as coordinates and intercepts, and how the solver ended."""
        is_auto = self.unlabeled_weight == "auto"
        weights = self._auto_weights if is_auto else self._annealed_weights()
        if not len(self._loss_rows(sample)) or self.unlabeled_weight == 0:
            weights = ()
        average = self._average(machine, sample, weights, rng)
        machine = self._center(machine, sample)
        path, result = self._follow(machine, sample, weights if average else ())
        self.average_, self.slope_ = None, DEFAULT_SLOPE
        self.held_out_proba_ = None
        if average is None:
            result = replace(result, status=Status.INTERRUPTED)
            return machine.function(path[-1]), result
        own = sample.known.row_weights[sample.labels.labeled]
        self.slope_ = average.fit_slope(sample.labels, own)
        self._keep_held_out(average.held_out, average.is_tested, sample.known.label_of)
        if not is_auto or not weights:
            return machine.function(path[-1]), result
        self.average_ = average
        return machine.function(average.combine(path)), result

    def _annealed_weights(self):
        """Weights that grow to the one that was asked for."""
        steps = np.arange(self.n_annealing)[::-1]
        return tuple((self.unlabeled_weight * 10.0 ** (-0.5 * steps)).tolist())

    def _average(self, machine, sample, weights, rng):
        """How far each machine of the path counts; None if interrupted."""
        cheap = isinstance(machine, WeightMachine)
        known = draw_panel(sample.known, rng, rows_per_label=20 if cheap else 2)
        aside = draw_aside(sample, rng)
        small = machine.part(np.concatenate([known, sample.n_known + aside]))
        small = replace(small, tol=_FOLD_TOL * machine.tol)
        panel = sample.part(known, aside, pairwise=self._is_pairwise)
        folds = deal_sample(sample.known, rng)

        def follow(held_out):
            fold = panel.without(held_out)
            own = self._center(small, fold)
            path, result = self._follow(own, fold, weights, is_quiet=True)
            if result.status is Status.INTERRUPTED:
                return None
            tested = panel.labels.labeled_idx[held_out]
            return [
                np.column_stack([own.scores(s)[tested] for s in solution.T])
                for solution in path
            ]

        only_last = self.unlabeled_weight != "auto"
        return weigh_path(
            follow, panel.known, folds, (0.0, *weights), only_last=only_last
        )

    def _follow(self, machine, sample, weights, *, is_quiet=False):
        """Solutions of the labels alone and for each weight, and how the last ended.

        Each starts from the one before it; an interrupted one is the last.
        """
        problem = self._pose(machine, sample)
        alone = problem
        if not isinstance(self.balance, dict):  # what the user says is always kept
            alone = replace(problem, intercepts=(None,) * problem.n_columns)
        result = alone.solve_given()
        path = [result.solution]
        for weight in weights:
            if result.status is Status.INTERRUPTED:
                break
            costs = sample.costs(problem.rows, weight)
            callback = None if is_quiet else self._progress(1)
            if not is_quiet:
                self._say(f"unlabeled weight {weight:g}")
            found = self._minimize(problem.with_costs(costs), path[-1], callback)
            path.append(found.solution)
            result = replace(found, status=worst(result.status, found.status))
        return path, result

    def _minimize(self, problem, start, callback):
        """Fit with the loss of the unlabeled samples."""
        return majorize_minimize(
            problem, start, max_iter=self.max_iter, callback=callback
        )

    def _pose(self, machine, sample):
        """The problem of the labels and of the loss on other rows."""
        rows = self._loss_rows(sample)
        given = sample.given(self.epsilon, self.irrelevant_weight)
        return BranchProblem(
            machine,
            given,
            self._loss(),
            rows,
            np.zeros(len(rows)),
            self._intercepts(sample),
            self._chooser(sample),
        )

    def _loss_rows(self, sample):
        """Rows that the loss applies to: the unlabeled ones."""
        return sample.unlabeled_idx

    def _chooser(self, sample):
        """Branches of all classes together; None if each chooses its own."""
        return None

    def _is_balanced(self, sample):
        """Whether the mean score of the unlabeled rows is fixed."""
        return self.balance is not None and len(sample.unlabeled_idx) > 0

    def _center(self, machine, sample):
        """The machine centred on the unlabeled rows if their mean score is fixed."""
        if not self._is_balanced(sample):
            return machine
        return machine.centered(sample.center())

    def _intercepts(self, sample):
        """Mean score of the unlabeled rows in each column, Eq. (25), or None."""
        n_columns = sample.labels.signs.shape[1]
        if not self._is_balanced(sample):
            return (None,) * n_columns
        shares = self._shares(sample)[-n_columns:]
        return tuple((2.0 * shares - 1.0).tolist())

    def _shares(self, sample):
        """Share of each class among the unlabeled rows, in the order of the names."""
        if not isinstance(self.balance, dict):
            return sample.known.label_shares()
        classes = sample.labels.classes.tolist()
        return self._read_shares(classes, f"classes {classes}")
