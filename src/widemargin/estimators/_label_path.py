"""How a label-search classifier finds its function, once it has a space."""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import softmax

from widemargin.labels import decide, sign_coding
from widemargin.solvers.label_search import make_starts
from widemargin.solvers.label_starts import best_codes, mend, smoothed_start
from widemargin.solvers.result import Status

AUTO_WEIGHTS = (0.1, 0.3, 1.0, 3.0)  # of the unlabeled rows, one after the other
_FOLDS = 5
_PANEL_ROWS = 1000  # rows on which labels are held out when there are many more
_DECAY = 0.7  # each machine is believed so much less than the one before it
_TABU_FROM, _TABU_ROWS = 1.0, 8192  # "auto" is tabu from this weight on, up to so many


@dataclass(frozen=True)
class PathAverage:
    """Machines with ever more weight on the unlabeled rows, and how far each counts.

    Attributes
    ----------
    unlabeled_weights : tuple of float
        The first is 0: the labels alone.
    errors : ndarray of shape (n_machines,)
        Held-out labels that each of them gets wrong, in five folds.
    weights : ndarray of shape (n_machines,)
        Non-negative, adding up to one.
    held_out : ndarray of shape (n_labels, n_columns)
        Scores of the average for each label when it was held out.
    is_tested : ndarray of bool, shape (n_labels,)
        Whether it was: the only label of its class is not.
    """

    unlabeled_weights: tuple
    errors: np.ndarray
    weights: np.ndarray
    held_out: np.ndarray = field(repr=False)
    is_tested: np.ndarray = field(repr=False)


class PathMixin:
    """Searches along a path of unlabeled weights and averages what it finds."""

    def _follow(self, space, sample, ambient, weights, rng, *, is_quiet=False):
        """The machine of the labels alone, and one for each weight, with its result.

        Each search starts from the labels that the one before it has found. An
        interrupted one is the last.
        """
        labels = sample.labels
        signs = sign_coding(labels.codes, labels.n_classes)
        own = sample.loss_weights(1.0)[labels.labeled]
        path = [space.fit_rows(labels.labeled_idx, signs, own, ambient)]
        codes, results = None, []
        for weight in weights if sample.n_unlabeled else ():
            smoother = space.smoother(sample.loss_weights(weight), ambient)
            problem = sample.pose(smoother, *self._sizes(sample))
            if codes is None:
                starts, seeds = self._starts(
                    problem, sample, space.scores(path[0]), rng
                )
            else:
                starts, seeds = [codes], rng.integers(2**62, size=1)
            name = self._choose_search(problem, weight)
            strategy = self._strategy(name, problem.n_classes)
            result = self._run(problem, strategy, starts, seeds, is_quiet=is_quiet)
            codes = result.solution
            named = sign_coding(sample.class_order[codes], labels.n_classes)
            path.append(smoother.coordinates(named))
            results.append((result, smoother, named))
            if result.status is Status.INTERRUPTED:
                break
        return path, results

    def _starts(self, problem, sample, scores, rng):
        """Labels to start from: what the labels say, random ones, or both."""
        n_random = {"random": self.n_restarts, "both": self.n_restarts - 1}
        starts, seeds = make_starts(problem, n_random.get(self.start, 0), rng)
        if self.start == "random":
            return starts, seeds
        if self.start == "smoothed":
            informed = smoothed_start(problem)
        else:
            informed = self._informed(problem, sample, scores)
        return [informed, *starts], np.append(rng.integers(2**62), seeds)

    @staticmethod
    def _informed(problem, sample, scores):
        """The labels that scores ask for, within the bounds, as the search counts."""
        scores = scores.astype(np.float64)
        if scores.shape[1] == 1:
            scores = np.hstack([-scores, scores])
        liking = scores.T[sample.class_order]
        return mend(problem, best_codes(problem, liking), liking)

    def _average(self, space, kernel, sample, ambient, rng):
        """How far each machine of the path counts, asked of held-out labels.

        None if interrupted.
        """
        weights = AUTO_WEIGHTS
        errors = np.zeros(1 + len(weights))
        labeled = sample.labels.labeled_idx
        n_rows = max(_PANEL_ROWS, 2 * len(labeled))
        others = sample.order[~sample.labels.labeled[sample.order]]
        n_others = min(len(others), n_rows - len(labeled))
        drawn = others[rng.choice(len(others), n_others, replace=False)]
        rows = np.sort(np.concatenate([labeled, drawn]))
        panel = sample.part(rows, pairwise=self.kernel == "precomputed")
        panel_space = self._with_graph(space.part(rows), kernel, panel.X)
        folds = self._deal(sample, rng)
        n_columns = sample.labels.signs.shape[1]
        held_out_scores = np.zeros((len(errors), len(folds), n_columns))
        for fold in range(_FOLDS):
            held_out = folds == fold
            if not held_out.any():
                continue
            path, results = self._follow(
                panel_space, panel.without(held_out), ambient, weights, rng,
                is_quiet=True,
            )  # fmt: skip
            if results and results[-1][0].status is Status.INTERRUPTED:
                return None
            tested = panel.labels.labeled_idx[held_out]
            truth = panel.labels.codes[held_out]
            for machine, c in enumerate(path):
                scores = panel_space.scores(c)[tested]
                held_out_scores[machine, held_out] = scores
                errors[machine] += (decide(scores) != truth).sum()
        shares = softmax(np.log(_DECAY) * np.arange(len(errors)) - errors)
        scores = np.tensordot(shares, held_out_scores, axes=1)
        return PathAverage((0.0, *weights), errors, shares, scores, folds >= 0)

    @staticmethod
    def _deal(sample, rng):
        """A fold for each label, whatever the order of rows and names of classes."""
        labeled = sample.labels.labeled
        by_content = sample.order[labeled[sample.order]]
        places = np.searchsorted(np.flatnonzero(labeled), by_content)
        codes = np.argsort(sample.class_order)[sample.labels.codes]
        folds = np.empty(len(codes), dtype=int)
        folds[places] = deal_folds(codes[places], _FOLDS, rng)
        return folds

    def _choose_search(self, problem, weight):
        """The strategy that is meant by "auto"."""
        if self.search != "auto":
            return self.search
        is_small = problem.n_samples <= _TABU_ROWS
        return "tabu" if weight >= _TABU_FROM and is_small else "stochastic"


def deal_folds(codes, n_folds, rng):
    """Number of a fold for each label, -1 for the only one of its class.

    The labels of a class are dealt out one by one, so that no fold has all of them.
    """
    folds, position = np.full(len(codes), -1), 0
    for code in np.unique(codes):
        members = rng.permutation(np.flatnonzero(codes == code))
        if len(members) > 1:
            folds[members] = (position + np.arange(len(members))) % n_folds
            position += len(members)
    return folds
