"""Which machine solves problems of hinges for an estimator's parameters."""

from scipy import sparse

from widemargin.estimators._checks import check_choice, check_number
from widemargin.kernels import (
    FullBasis,
    Linear,
    NystromMap,
    WeightBasis,
    choose_landmarks,
)
from widemargin.sample import as_rows
from widemargin.solvers.hinge_machine import GramMachine, RowMachine, WeightMachine

SOLVERS = ("auto", "smo", "newton")
_GRAM_BYTES = 2 * 2**30  # larger ones are not kept, rows are made when needed


class HingeMachineMixin:
    """Reads the parameters `solver`, `n_landmarks`, `landmarks` and `tol`."""

    _auto_landmarks = 10_000, 1000  # with more rows than that, so many landmarks

    @property
    def _is_pairwise(self):
        return self.kernel == "precomputed"

    def _check_machine(self):
        check_choice(self, "solver", SOLVERS)
        check_number(self, "tol", low=0, strict=True)
        if isinstance(self.n_landmarks, str):
            check_choice(self, "n_landmarks", ("auto",), "or a number >= 1 or None")

    def _make_machine(self, kernel, X, rng):
        """What solves the convex problems, and the functions that span its space."""
        n_samples, n_features = X.shape
        name, is_linear = type(self).__name__, isinstance(kernel, Linear)
        is_narrow = is_linear and (sparse.issparse(X) or n_features < n_samples)
        n_landmarks = self.n_landmarks
        if n_landmarks == "auto":
            exact_rows, auto_landmarks = self._auto_landmarks
            is_large = n_samples > exact_rows and not is_narrow and self.solver != "smo"
            n_landmarks = auto_landmarks if is_large else None
        if n_landmarks is not None:
            if self.solver == "smo":
                raise ValueError(
                    f"solver='smo' of {name} works with the exact kernel, got "
                    f"n_landmarks={n_landmarks}; use solver='newton', or n_landmarks="
                    "None."
                )
            chosen = choose_landmarks(kernel, X, n_landmarks, rng, self.landmarks)
            nystrom = NystromMap.fit(kernel, X, chosen)
            return WeightMachine(nystrom(X), 0.1 * self.tol), nystrom
        if self.solver == "newton" and not is_linear:
            raise ValueError(
                f"solver='newton' of {name} needs features: use kernel='linear' or set "
                f"n_landmarks, got kernel={self.kernel!r} and n_landmarks=None."
            )
        if self.solver == "newton" or (self.solver == "auto" and is_narrow):
            return WeightMachine(X, 0.1 * self.tol), WeightBasis()
        if n_samples**2 * X.dtype.itemsize > _GRAM_BYTES and not self._is_pairwise:
            return RowMachine(kernel, as_rows(X), self.tol), FullBasis(n_samples)
        return GramMachine(kernel(X), self.tol), FullBasis(n_samples)
