"""The Gaussian process of a self-labeling machine, exact or sparse."""

from dataclasses import dataclass

import numpy as np

from widemargin.kernels import (
    ArdRbf,
    FullBasis,
    NystromMap,
    Rbf,
    SubsetBasis,
    choose_landmarks,
)
from widemargin.linalg.components import principal_components
from widemargin.objectives.gp_evidence import GpEvidence, LogNormalPrior
from widemargin.smoothers import DenseSmoother, FeatureSpace, KernelSpace
from widemargin.smoothers.posterior import Posterior
from widemargin.smoothers.profiled import ProfiledSmoother
from widemargin.solvers.gp_hyperparameters import learn_hyperparameters
from widemargin.solvers.informative_vectors import informative_vectors
from widemargin.solvers.regressors import ActiveRegressor, SmootherRegressor

_EVIDENCE_ROWS = 1000  # rows whose labels hyperparameters are learned from


@dataclass(frozen=True)
class Process:
    """A kernel, its scale, and the noise of a sample of weight one."""

    kernel: object
    scale: float
    noise: float

    def exact(self, X):
        """The process over all rows."""
        return Prepared(self, KernelSpace(self.kernel(X)), FullBasis(X.shape[0]))

    def nystrom(self, X, n_landmarks, choice, rng):
        """The process over landmarks, whose posterior knows all rows."""
        rows = choose_landmarks(self.kernel, X, n_landmarks, rng, choice)
        features = NystromMap.fit(self.kernel, X, rows)
        return Prepared(self, FeatureSpace(features(X)), features)

    def informative(self, X, n_active, labeled_idx, weights):
        """The informative vector machine: the posterior of some rows, labeled first."""
        kernel, n_active = self.kernel, min(n_active, X.shape[0])
        pool, given = np.arange(X.shape[0]), labeled_idx
        if len(labeled_idx) > n_active:  # the most informative of the labeled ones
            pool, given = labeled_idx, ()
        candidates = X if len(pool) == X.shape[0] else X[pool]
        found = informative_vectors(
            lambda rows: self.scale * kernel(candidates, kernel.points(X, pool[rows])),
            self.scale * kernel.diagonal(X).astype(np.float64)[pool],
            self.noise / weights[pool],
            n_active,
            given=given,
        )
        rows = pool[found.rows]
        cross = kernel(X, kernel.points(X, rows))
        return ActivePrepared(self, cross, SubsetBasis(rows))

    def learn(self, X, signs, weights, criterion, *, per_feature):
        """The process of largest evidence for these labels, near this one.

        A log-normal prior around this process keeps labels that the machine gave
        itself from confirming their mistakes. Returns the process and a `Status`.
        """
        n_widths = X.shape[1] if per_feature else 1
        center = np.log([self.scale, *[self.kernel.gamma] * n_widths, self.noise])
        evidence = GpEvidence(X, signs, weights, prior=LogNormalPrior(center))
        found = learn_hyperparameters(evidence, center, criterion=criterion)
        values = np.exp(found.solution)
        kernel = ArdRbf(values[1:-1]) if per_feature else Rbf(float(values[1]))
        return Process(kernel, float(values[0]), float(values[-1])), found.status


@dataclass(frozen=True)
class Prepared:
    """A process over a training sample, whose posterior knows all rows."""

    process: Process
    space: object
    basis: object

    def regressor(self, weights, *, leaves_out):
        """The regressor for weights of the rows."""
        reg = self.process.noise / self.process.scale
        smoother = self.space.smoother(weights, reg)
        profiled = ProfiledSmoother(smoother)
        return SmootherRegressor(profiled, leaves_out, self.process.noise)

    def components(self, weights, n_components):
        """Leading principal components of the kernel on the rows, (n, n_found)."""
        return principal_components(self.space.kernel_product, weights, n_components)

    @property
    def rows(self):
        """Training rows that new rows are compared with."""
        return self.basis.rows

    @property
    def whitening(self):
        """What makes features of kernel values, None if these are used as they are."""
        return getattr(self.basis, "whitening", None)


@dataclass(frozen=True)
class ActivePrepared:
    """A process over a training sample, whose posterior knows the active rows."""

    process: Process
    cross: np.ndarray
    basis: SubsetBasis

    def regressor(self, weights, *, leaves_out):
        """The regressor for weights of the rows."""
        rows = self.basis.rows
        reg = self.process.noise / self.process.scale
        gram = np.ascontiguousarray(self.cross[rows])
        smoother = DenseSmoother(gram, weights[rows], reg)
        profiled = ProfiledSmoother(smoother)
        return ActiveRegressor(profiled, rows, self.cross, leaves_out)

    def components(self, weights, n_components):
        """None: most rows are known by their kernel values with active ones only."""
        return np.zeros((len(weights), 0))

    whitening = None  # kernel values are used as they are

    @property
    def rows(self):
        """Training rows that new rows are compared with."""
        return self.basis.rows


def evidence_rows(sample, rng):
    """At most a thousand rows, labeled ones before others."""
    chosen, room = [], _EVIDENCE_ROWS
    for rows in (sample.labels.labeled_idx, np.flatnonzero(~sample.labels.labeled)):
        n_rows = min(len(rows), room)
        chosen.append(rng.choice(rows, n_rows, replace=False))
        room -= n_rows
    return np.sort(np.concatenate(chosen))


def posterior(regressor, process):
    """How sure the process is, given what the regressor was fitted to."""
    return Posterior.of(regressor.profiled, process.scale, process.noise)
