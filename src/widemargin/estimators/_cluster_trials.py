"""Parameters that are left open are tried, and the best of them chosen."""

from dataclasses import replace
from itertools import groupby, product
from operator import attrgetter

import numpy as np

from widemargin.estimators._cluster_choice import Cell, choose_cell, nearest_neighbors
from widemargin.kernels import make_kernel, select_gamma
from widemargin.smoothers import GraphPenalty, SpectralPath
from widemargin.solvers.cluster_spectrum import cluster_spectrum
from widemargin.solvers.result import Status

_WIDTHS = tuple(1.0 / (2.0 * share**2) for share in (0.25, 0.5, 1.0))
_WIDTH_SAMPLE = 1000  # samples whose distances give the median
_REGS = (2.0**-12, 2.0**-9)
_POWERS = (1, 2)
_CHOICE_ROWS, _CHOICE_SAMPLE = 1500, 1200  # with more samples, choose on so many


class TrialsMixin:
    """Chooses width, weight of the kernel norm and power of a clustering."""

    def _choose(self, sample, rng):
        """Parameters for a sample, and its clusters if all of it was tried."""
        cells = self._cells(sample, rng)
        self.choice_ = None
        if len(cells) == 1 or self.n_clusters == 1:
            return cells[0], None
        is_part = sample.n_samples > _CHOICE_ROWS
        if is_part:
            drawn = rng.choice(sample.n_samples, _CHOICE_SAMPLE, replace=False)
            sample = sample.part(np.sort(sample.order[drawn]))
        cells, results = self._try(cells, sample, rng)
        status = results[-1].status
        if is_part and status is Status.INTERRUPTED:
            raise KeyboardInterrupt  # clusters of a part are none of the whole
        neighbors = nearest_neighbors(*cells[0].kernel.geometry(sample.X))
        labelings = [result.solution for result in results]
        choice = choose_cell(cells, labelings, neighbors, self.n_clusters)
        self.choice_, best = choice, choice.best
        agreement, stability = choice.agreement[best], choice.stability[best]
        self._say(
            f"chose {cells[best]} among {len(cells)}: agreement {agreement:.3f} + "
            f"stability {stability:.3f} = {agreement + stability:.3f}"
        )
        return cells[best], None if is_part else replace(results[best], status=status)

    def _cells(self, sample, rng):
        """All combinations of the parameters that are left open."""
        X = sample.X
        gammas, regs, powers = [self.gamma], [self.ambient_reg], [self.laplacian_power]
        if self.gamma == "auto" and self.kernel == "rbf":
            some = sample.order[rng.permutation(sample.n_samples)[:_WIDTH_SAMPLE]]
            middle = select_gamma("median", X[some], rng)
            gammas = [middle * width for width in _WIDTHS]
        elif self.gamma == "auto":
            gammas = ["scale"]
        if self.ambient_reg == "auto":
            regs = _REGS
        if self.laplacian_power == "auto":
            powers = _POWERS if self.intrinsic_reg != 0 else (1,)
        kernels = [
            make_kernel(
                self.kernel, X, rng, gamma=g, degree=self.degree, coef0=self.coef0
            )
            for g in gammas
        ]
        return [Cell(*cell) for cell in product(powers, kernels, regs)]

    def _try(self, cells, sample, rng):
        """Clusters for each choice of parameters: what was tried, and the results.

        First those of the search, then those of the spectrum if that makes sense. Fewer
        if interrupted.
        """
        finder, results, spectral = replace(self._finder(), n_restarts=1), [], []
        smoothers = self._smoothers(cells, sample)
        for cell, smoother in zip(cells, smoothers, strict=True):
            problem = finder.pose(smoother, sample)
            results.append(finder.find(problem, sample.wishes, rng))
            if finder.tries_spectrum(sample.wishes):
                codes = cluster_spectrum(problem, sample.order, rng)
                if codes is None:  # its eigenvectors were not to be had
                    codes = results[-1].solution
                spectral.append(replace(results[-1], solution=codes))
            self._say(f"trial {len(results)} of {len(cells)}: {cell}")
            if results[-1].status is Status.INTERRUPTED:
                break
        cells = cells[: len(results)]
        of_spectrum = [replace(cell, source="spectrum") for cell in cells]
        return cells + of_spectrum[: len(spectral)], results + spectral

    def _smoothers(self, cells, sample):
        """The smoother of each cell; neighbors in the list share what they can."""
        X, weights, graph = sample.X, sample.weights, self._graph()
        for power, of_power in groupby(cells, attrgetter("power")):
            of_power = list(of_power)
            penalty = None
            if graph.counts:
                laplacian, weight = graph.penalty(X, of_power[0].kernel, power)
                penalty = GraphPenalty(laplacian, weights, weight)
            for kernel, of_kernel in groupby(of_power, attrgetter("kernel")):
                gram = kernel(X)
                scale = float(np.diagonal(gram).mean(dtype=np.float64))
                self._check_scale(scale)
                path = penalty.path(gram) if penalty else SpectralPath(gram, weights)
                for cell in of_kernel:
                    yield path(cell.ambient_reg * scale)
