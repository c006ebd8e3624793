"""How clusters are found, once there is a machine to tell them apart."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from widemargin.estimators._cluster_sizes import ClusterSizes
from widemargin.labels import decide, sign_coding
from widemargin.linalg.rows import content_order
from widemargin.solvers.cluster_names import name_by_fixed, name_by_size
from widemargin.solvers.cluster_spectrum import cluster_spectrum
from widemargin.solvers.label_means import settle
from widemargin.solvers.label_search import make_starts
from widemargin.solvers.label_starts import mend
from widemargin.solvers.result import SolveResult, Status, worst

_LARGE_ROWS, _LARGE_SAMPLE = 8192, 4000  # with more and landmarks, search on so many


@dataclass(frozen=True)
class ClusterFinder:
    """Sizes that are asked for, and how clusters of such sizes are searched.

    Attributes
    ----------
    sizes : ClusterSizes
    strategy : one of `label_strategies`
        From random starts.
    improver : one of `label_strategies`
        From the clusters of the user.
    n_restarts : int
        Random starts.
    refines : bool
        Whether more is done after the search: sizes settle, or names are given anew.
    run : callable
        ``run(problem, strategy, starts, seeds)`` gives the best `SolveResult`.
    """

    sizes: ClusterSizes
    strategy: object
    improver: object
    n_restarts: int
    refines: bool
    run: Callable

    def pose(self, smoother, sample):
        """The problem of finding the clusters of a sample."""
        return self.sizes.pose(smoother, sample.wishes, sample.order)

    def tries_spectrum(self, wishes):
        """Whether clusters of any size and without any wish are asked for."""
        return self.refines and self.sizes.are_free and not wishes.wished.any()

    def find_all(self, problem, machine, sample, rng):
        """Clusters of all samples, in the way that suits the machine and their number.

        Parameters
        ----------
        problem : LabelProblem
            As posed for the sample and the machine.
        machine : ClusterMachine
        sample : ClusterSample
        rng : numpy.random.Generator

        Returns
        -------
        SolveResult
        """
        if machine.cell.source == "spectrum":
            codes = cluster_spectrum(problem, sample.order, rng)
            if codes is not None and problem.is_feasible(codes):
                return SolveResult(codes, problem.value(codes), Status.CONVERGED, 0)
        is_large = problem.smoother.low_rank and problem.n_samples > _LARGE_ROWS
        is_searched = problem.n_classes > 1 and not sample.wishes.is_complete
        if is_large and is_searched and self.strategy.reads_rows:
            return self._find_large(problem, machine, sample, rng)
        return self.find(problem, sample.wishes, rng)

    def find(self, problem, wishes, rng):
        """Search clusters from several starts, or improve those of the user."""
        if problem.n_classes == 1:
            codes = np.zeros(problem.n_samples, dtype=np.int32)
            return SolveResult(codes, problem.value(codes), Status.CONVERGED, 0)
        if wishes.is_complete:
            start = mend(problem, wishes.codes, problem.table(wishes.codes))
            seeds = rng.integers(2**62, size=1)
            return self.run(problem, self.improver, [start], seeds)
        starts, seeds = make_starts(problem, self.n_restarts, rng)
        result = self.run(problem, self.strategy, starts, seeds)
        if not self.refines:
            return result
        if self.sizes.are_free:
            return self._free_sizes(problem, wishes, result, rng)
        return self._fit_sizes(problem, result, rng)

    def _free_sizes(self, problem, wishes, result, rng):
        """A result with sizes as the samples want them, and names as fixed ones do."""
        codes = settle(problem, result.solution)
        if wishes.fixed.any() and result.status is not Status.INTERRUPTED:
            unnamed = self._find_unnamed(problem, wishes, rng)
            named = name_by_fixed(problem, unnamed.solution)
            codes = min(codes, named, key=problem.value)
            n_iter = result.n_iter + unnamed.n_iter
            status = worst(result.status, unnamed.status)
            result = replace(result, n_iter=n_iter, status=status)
        return replace(result, solution=codes, objective=problem.value(codes))

    def _find_unnamed(self, problem, wishes, rng):
        """Clusters of the same samples if none of them were fixed."""
        smoother, wishes = problem.smoother, wishes.dropped()
        order = np.arange(problem.n_samples)
        if not smoother.low_rank:
            order = content_order(smoother.matrix, pairwise=True)
        free = self.sizes.pose(smoother, wishes, order)
        return self.find(free, wishes, rng)

    def _fit_sizes(self, problem, result, rng):
        """The better of a result and of clusters of any size, fitted to the sizes."""
        if not problem.movable.all():
            return result
        found = cluster_spectrum(problem, problem.order, rng)
        if found is None:
            return result
        codes = name_by_size(problem, found)
        value = problem.value(codes)
        if value >= result.objective:
            return result
        return replace(result, solution=codes, objective=value)

    def _find_large(self, problem, machine, sample, rng):
        """Search among some of the samples, then let the others join."""
        wishes = sample.wishes
        drawn = sample.order[rng.choice(sample.n_samples, _LARGE_SAMPLE, replace=False)]
        rows = np.union1d(drawn, np.flatnonzero(wishes.fixed))
        some = sample.part(rows)
        smoother = machine.part(rows, some.X).smoother(some.weights)
        result = self.find(self.pose(smoother, some), some.wishes, rng)
        signs = sign_coding(result.solution, problem.n_classes)
        scores = machine.space.features @ smoother.coordinates(signs)
        codes = np.where(wishes.fixed, wishes.codes, decide(scores)).astype(np.int32)
        codes = mend(problem, codes, problem.table(codes))
        if self.refines:
            codes = settle(problem, codes)
        return replace(result, solution=codes, objective=problem.value(codes))
