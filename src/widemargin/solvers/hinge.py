"""How problems of hinges are solved: by the dual on a Gram matrix, or on features.

The solution of either is (n_rows + 1,): coefficients of the rows' kernel functions, and
the intercept. Balance is a matter of centering: if the space is centered on the mean of
some rows, the mean score of these is the intercept, whatever the coefficients are
(Eq. (25) of Yang et al., eliminated exactly).
"""

from dataclasses import dataclass, replace

from widemargin.checks import check_number
from widemargin.defaults import HINGE_LADDER
from widemargin.kernels import Linear
from widemargin.solvers.result import Status
from widemargin.solvers.smo import smo
from widemargin.solvers.weight_newton import weight_newton
from widemargin.spaces import choose_space
from widemargin.values import Value

_SMO_STEPS = 2_000_000  # of a convex problem; a bound for problems that never settle


class HingeSolver(Value):
    """What solves convex problems of hinges; a family of parameters.

    A member gives ``solve(space, pieces, intercept, start)``.
    """

    def loosened(self, factor):
        """The same solver with a tolerance that is larger by a factor."""
        return replace(self, tol=factor * self.tol)


@dataclass(frozen=True)
class Smo(HingeSolver, shorthand="smo"):
    """Sequential minimal optimization on a Gram matrix.

    Parameters
    ----------
    tol : float, default=1e-3
        Largest violation of the optimality conditions, in units of the scores.

    Examples
    --------
    >>> from widemargin.solvers.hinge import Smo
    >>> Smo(tol=1e-4)
    Smo(tol=0.0001)
    """

    tol: float = 1e-3

    def check(self):
        """Raise unless the tolerance is positive."""
        check_number(self, "tol", low=0, strict=True)

    def solve(self, space, pieces, intercept=None, start=None):
        """Minimize half of the squared norm plus the pieces."""
        return _limited(
            smo(
                space.gram,
                pieces,
                intercept=intercept,
                start=start,
                tol=self.tol,
                max_iter=_SMO_STEPS,
            )
        )


@dataclass(frozen=True)
class ProximalNewton(HingeSolver, shorthand="newton"):
    """Newton steps on the weights of features, which may be sparse.

    Parameters
    ----------
    tol : float, default=1e-4
        Largest duality gap, relative to the objective.

    Examples
    --------
    >>> from widemargin.solvers.hinge import ProximalNewton
    >>> ProximalNewton()
    ProximalNewton(tol=0.0001)
    """

    tol: float = 1e-4

    def check(self):
        """Raise unless the tolerance is positive."""
        check_number(self, "tol", low=0, strict=True)

    def solve(self, space, pieces, intercept=None, start=None):
        """Minimize half of the squared norm plus the pieces."""
        return _limited(
            weight_newton(
                space.features,
                pieces,
                intercept=intercept,
                center=space.center,
                start=start,
                tol=self.tol,
            )
        )


def choose_hinge_space(kernel, rows, landmarks, solver, rng, *, who):
    """The space and the solver for what the user wishes.

    Parameters
    ----------
    kernel, rows, landmarks, rng, who
        As in :func:`widemargin.spaces.choose_space`.
    solver : HingeSolver or "auto"
        "auto" is `ProximalNewton` on features and `Smo` on a Gram matrix.

    Returns
    -------
    space, solver
    """
    is_smo = isinstance(solver, Smo)
    if is_smo and landmarks not in (None, "auto"):
        raise ValueError(
            f"solver={solver!r} of {who} works with the exact kernel, got landmarks="
            f"{landmarks!r}; use solver='newton', or landmarks=None."
        )
    is_newton = isinstance(solver, ProximalNewton)
    if is_newton and landmarks is None and not isinstance(kernel, Linear):
        raise ValueError(
            f"solver={solver!r} of {who} needs features: use kernel='linear' or set "
            f"landmarks, got kernel={kernel!r} and landmarks=None."
        )
    space = choose_space(
        kernel,
        rows,
        None if is_smo else landmarks,
        rng,
        ladder=HINGE_LADDER,
        who=who,
        features=not is_smo,
        sparse_features=True,
        reads_rows=True,
    )
    if solver == "auto":
        solver = ProximalNewton() if space.low_rank else Smo()
    return space, solver


def _limited(result):
    """The result of a convex problem, told from the limit of a loop around it."""
    if result.status is Status.MAX_ITER:
        return replace(result, status=Status.INNER_LIMIT)
    return result


def roughness(solution, scores):
    """Squared norm of a function, from its solution and its scores."""
    return float(solution[:-1] @ (scores - solution[-1]))
