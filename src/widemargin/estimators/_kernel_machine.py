"""What all machines with a kernel share: the fitted function and its use."""

import numbers

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from widemargin.estimators._base import SolvedMixin
from widemargin.estimators._checks import (
    check_choice,
    check_number,
    check_squares,
    plain,
)
from widemargin.estimators._scoring import ScoringClassifier
from widemargin.graphs import graph_laplacian, knn_adjacency
from widemargin.graphs.neighbors import WEIGHTS
from widemargin.kernels import KERNELS, make_kernel, scores_in_blocks
from widemargin.kernels.nystrom import CHOICES

FLOATS = (np.float64, np.float32)


class KernelMachine(SolvedMixin, BaseEstimator):
    """A function ``kernel_(X, points_) @ dual_coef_ + intercept_``."""

    _widths = ("scale", "median")  # names that gamma may have
    _landmark_choices = CHOICES

    def _check_kernel(self):
        """Parameters of the kernel and of its landmarks."""
        if not callable(self.kernel):
            check_choice(self, "kernel", KERNELS)
        if isinstance(self.gamma, str):
            check_choice(self, "gamma", self._widths, "or a number > 0")
        else:
            check_number(self, "gamma", low=0, strict=True)
        check_number(self, "degree", low=1, integer=True)
        check_number(self, "coef0", low=0)
        if self.n_landmarks is not None and not isinstance(self.n_landmarks, str):
            check_number(self, "n_landmarks", low=1, integer=True)
        check_choice(self, "landmarks", self._landmark_choices)

    def _check_graph(self):
        """Parameters of the nearest-neighbor graph."""
        check_number(self, "n_neighbors", low=1, integer=True)
        if isinstance(self.laplacian_power, str):
            check_choice(self, "laplacian_power", ("auto",), "or a whole number >= 1")
        else:
            check_number(self, "laplacian_power", low=1, integer=True)
        if isinstance(self.graph_weights, str):
            check_choice(self, "graph_weights", WEIGHTS)
        else:
            check_number(self, "graph_weights", low=0, strict=True)

    def _make_kernel(self, X, rng):
        check_squares(self, X)
        return make_kernel(
            self.kernel,
            X,
            rng,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
        )

    def _laplacian(self, kernel, X, *, low_rank, adjacency=None, normalized=True):
        """The Laplacian of a given graph or of the nearest neighbors."""
        if adjacency is None:
            data, metric = kernel.geometry(X)
            adjacency = knn_adjacency(
                data, self.n_neighbors, self.graph_weights, metric=metric
            )
        power = self.laplacian_power
        if power == "auto":  # few landmarks cannot follow a smoother function
            power = 1 if low_rank else 3
        return graph_laplacian(adjacency, normalized=normalized, power=power)

    def _check_scale(self, scale):
        """Raise unless the kernel's mean diagonal can be divided by."""
        if not (np.isfinite(scale) and scale > 0):
            raise ValueError(
                f"the kernel of {type(self).__name__} must have a positive diagonal, "
                f"got {scale:g} on average; look for rows of zeros, or for a kernel "
                "that is not positive semi-definite."
            )

    def _read_shares(self, names, whose):
        """The fractions in `balance`, in the order of the names."""
        values = [self.balance.get(name, np.nan) for name in names]
        unknown = [name for name in self.balance if name not in names]
        is_valid = not unknown and all(
            isinstance(value, numbers.Real) and value >= 0 for value in values
        )
        if not is_valid or abs(sum(values) - 1.0) > 1e-6:
            given = {plain(key): plain(value) for key, value in self.balance.items()}
            total = f", which add up to {sum(values):g}" if is_valid else ""
            raise ValueError(
                f"balance of {type(self).__name__} must hold a fraction >= 0 for each "
                f"of the {whose}, adding up to 1, got {given!r}{total}."
            )
        return np.array(values, dtype=np.float64)

    def _keep_function(self, kernel, basis, given, origin, function):
        """Store what prediction needs: coordinates over the basis, and constants."""
        coordinates, constants = function
        points, coefficients = basis.function(kernel, given, origin, coordinates)
        self.kernel_, self.points_ = kernel, points
        self.dual_coef_ = coefficients.astype(np.float64)
        self.intercept_ = np.asarray(constants, dtype=np.float64)

    def _scores(self, X):
        check_is_fitted(self, "dual_coef_")
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS, reset=False)
        return self._evaluate(X)

    def _evaluate(self, X):
        scores = scores_in_blocks(self.kernel_, X, self.points_, self.dual_coef_)
        return scores + self.intercept_.astype(scores.dtype)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


class KernelClassifier(ScoringClassifier, KernelMachine):
    """One-vs-rest scores of a kernel machine, and what they mean."""
