"""Space and solver of hinge problems in one object, as SelfLabelingSVC uses them."""

from dataclasses import dataclass, replace

from widemargin.solvers.hinge import HingeSolver, ProximalNewton, Smo
from widemargin.spaces import FeatureSpace, GramRowSpace, GramSpace


@dataclass(frozen=True)
class HingeMachine:
    """A space and the solver of convex problems in it."""

    space: object
    solver: HingeSolver

    @property
    def n_samples(self):
        """Number of samples."""
        return self.space.n_rows

    def part(self, idx):
        """The same on some of the samples."""
        return replace(self, space=self.space.part(idx))

    def centered(self, weights):
        """The same, centered on the weighted mean of the samples."""
        return replace(self, space=self.space.centered(weights))

    def solve(self, pieces, intercept=None, start=None):
        """Minimize half of the squared norm plus the pieces."""
        return self.solver.solve(self.space, pieces, intercept, start)

    def scores(self, solution):
        """Scores of all samples."""
        return self.space.dual_scores(solution)

    def function(self, solution):
        """Coordinates and intercepts, not centered, of columns of solutions."""
        return self.space.from_dual(solution)


def GramMachine(gram, tol=1e-3):
    """Sequential minimal optimization on a Gram matrix."""
    return HingeMachine(GramSpace(gram), Smo(tol))


def RowMachine(kernel, rows, tol=1e-3):
    """The same on a Gram matrix that is too large to be kept."""
    return HingeMachine(GramRowSpace(kernel, rows), Smo(tol))


def WeightMachine(features, tol=1e-4):
    """Newton steps in the weights of a linear function."""
    return HingeMachine(FeatureSpace(features), ProximalNewton(tol))
