"""How a label-search classifier finds its function, once it has a space."""

import numpy as np

from widemargin.estimators._path_average import deal_sample, draw_panel, weigh_path
from widemargin.labels import sign_coding
from widemargin.solvers.label_search import make_starts
from widemargin.solvers.label_starts import best_codes, mend, smoothed_start
from widemargin.solvers.result import Status

AUTO_WEIGHTS = (0.1, 0.3, 1.0, 3.0)  # of the unlabeled rows, one after the other
_TABU_FROM, _TABU_ROWS = 1.0, 8192  # "auto" is tabu from this weight on, up to so many


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
        rows = draw_panel(sample, rng)
        panel = sample.part(rows, pairwise=self.kernel == "precomputed")
        panel_space = self._with_graph(space.part(rows), kernel, panel.X)

        def follow(held_out):
            path, results = self._follow(
                panel_space, panel.without(held_out), ambient, AUTO_WEIGHTS, rng,
                is_quiet=True,
            )  # fmt: skip
            if results and results[-1][0].status is Status.INTERRUPTED:
                return None
            tested = panel.labels.labeled_idx[held_out]
            return [panel_space.scores(c)[tested] for c in path]

        folds = deal_sample(sample, rng)
        return weigh_path(follow, panel, folds, (0.0, *AUTO_WEIGHTS))

    def _choose_search(self, problem, weight):
        """The strategy that is meant by "auto"."""
        if self.search != "auto":
            return self.search
        is_small = problem.n_samples <= _TABU_ROWS
        return "tabu" if weight >= _TABU_FROM and is_small else "stochastic"
