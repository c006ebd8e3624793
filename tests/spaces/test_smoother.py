from dataclasses import dataclass

import numpy as np
import pytest
from label_reference import features_of, rbf_gram, smoother_matrix
from numpy.testing import assert_allclose, assert_array_equal

from widemargin.spaces.smoother import (
    DenseSmoother,
    LowRankSmoother,
    Smoother,
    SpectralPath,
)

MAKERS = {
    "dense": lambda gram, features, weights, reg: DenseSmoother(gram, weights, reg),
    "spectral": lambda gram, features, weights, reg: SpectralPath(gram, weights)(reg),
    "low rank": lambda gram, features, weights, reg: LowRankSmoother(
        features, weights, reg
    ),
}


@dataclass
class Case:
    """A smoother beside the matrices it comes from."""

    kind: str
    gram: np.ndarray
    features: np.ndarray
    weights: np.ndarray
    reg: float

    def make(self, dtype=np.float64):
        gram, features = self.gram.astype(dtype), self.features.astype(dtype)
        return MAKERS[self.kind](gram, features, self.weights, self.reg)

    @property
    def R(self):
        return smoother_matrix(self.gram, self.weights, self.reg)


@pytest.fixture(params=[0.02, 3.0])
def reg(request):
    return request.param


@pytest.fixture(params=["regular", "singular"])
def gram(request, rng):
    X = rng.normal(size=(30, 4))
    return X @ X.T if request.param == "singular" else rbf_gram(X)


@pytest.fixture(params=MAKERS)
def case(request, rng, gram, reg):
    weights = rng.uniform(0.2, 3.0, len(gram))
    return Case(request.param, gram, features_of(gram), weights, reg)


@pytest.fixture
def Y(rng):
    return rng.normal(size=(30, 3))


def test_smoother_is_the_direct_formula(case, Y):
    """R = K W (K W + reg I)^-1, whatever holds it."""
    smoother, R = case.make(), case.R
    assert smoother.n_samples == len(R)
    assert_allclose(smoother @ Y, R @ Y, atol=1e-10)
    assert_allclose(smoother @ Y[:, 0], R @ Y[:, 0], atol=1e-10)
    assert_allclose(smoother.diagonal(), np.diagonal(R), atol=1e-10)


def test_weighted_smoother_is_the_weights_times_it(case, Y):
    smoother, weighted = case.make(), case.weights[:, None] * case.R
    assert_allclose(smoother.weighted_product(Y), weighted @ Y, atol=1e-10)
    assert_allclose(smoother.weighted_diagonal, np.diagonal(weighted), atol=1e-10)
    rows = np.array([4, 11, 0])
    assert_allclose(
        smoother.weighted_block(rows), weighted[np.ix_(rows, rows)], atol=1e-10
    )


def test_weighted_smoother_is_symmetric_and_has_no_negative_eigenvalue(case):
    """The searches read rows of it where columns are meant."""
    weighted = case.make().weighted_block(np.arange(30))
    assert_allclose(weighted, weighted.T, rtol=1e-13, atol=1e-15)
    assert np.linalg.eigvalsh(weighted).min() > -1e-12


def test_loops_can_read_the_matrix(case):
    """Rows side by side in memory, of the type of what was given."""
    for dtype in (np.float32, np.float64):
        smoother = case.make(dtype)
        assert smoother.matrix.flags.c_contiguous
        assert smoother.weighted_block(np.arange(5)).flags.c_contiguous
        assert smoother.matrix.dtype == dtype
        assert smoother.low_rank == (case.kind == "low rank")


def test_coordinates_give_the_fitted_values(case, Y):
    smoother = case.make()
    basis = case.features if case.kind == "low rank" else case.gram
    c = smoother.coordinates(Y)
    assert c.shape == (basis.shape[1], 3)
    assert_allclose(basis @ c, smoother @ Y, atol=1e-9)


def test_coordinates_are_those_of_the_ridge_minimum(case, Y):
    """No other function is cheaper: the gradient vanishes, K singular or not."""
    c = case.make().coordinates(Y)
    if case.kind == "low rank":
        Z = case.features
        slope = Z.T @ (case.weights[:, None] * (Z @ c - Y)) + case.reg * c
    else:
        fit = case.gram @ c
        slope = case.gram @ (case.weights[:, None] * (fit - Y)) + case.reg * fit
    assert_allclose(slope, 0.0, atol=1e-8)


def test_single_precision(case, Y):
    single, double = case.make(np.float32), case.make()
    Y32 = Y.astype(np.float32)
    # What a solution loses in single precision grows with the condition of its system.
    condition = 1 + np.linalg.norm(case.gram * case.weights, 2) / case.reg
    atol = max(2e-4, condition * np.finfo(np.float32).eps)
    for ours, exact in [
        (single @ Y32, double @ Y),
        (single @ Y32[:, 0], double @ Y[:, 0]),
        (single.diagonal(), double.diagonal()),
        (single.weighted_product(Y32), double.weighted_product(Y)),
        (single.weighted_diagonal, double.weighted_diagonal),
        (single.weighted_block([3, 1]), double.weighted_block([3, 1])),
        (single.leave_one_out(Y32), double.leave_one_out(Y)),
    ]:
        assert ours.dtype == np.float32
        assert_allclose(ours, exact, atol=atol, rtol=1e-4)
    assert single.weights.dtype == np.float32


def test_leave_one_out_is_refitting_without_each_point(case, Y):
    ours = case.make().leave_one_out(Y)
    for i in range(30):
        others = np.arange(30) != i
        gram, weights = case.gram[others][:, others], case.weights[others][:, None]
        inner = weights * gram + case.reg * np.eye(29)
        c = np.linalg.solve(inner, weights * Y[others])
        assert_allclose(ours[i], case.gram[i, others] @ c, atol=1e-8)


def test_leave_one_out_stays_finite_for_points_that_only_follow_themselves():
    smoother = Smoother(np.eye(3), np.ones(3), low_rank=False)
    assert np.isfinite(smoother.leave_one_out(np.ones((3, 1)))).all()


def test_heavier_points_follow_their_labels_more(case):
    """The diagonal of R rises with the weight of a point."""
    heavier = Case(case.kind, case.gram, case.features, case.weights.copy(), case.reg)
    heavier.weights[5] *= 4.0
    assert heavier.make().diagonal()[5] > case.make().diagonal()[5]


def test_arguments_are_not_changed(case):
    before = case.gram.copy(), case.features.copy(), case.weights.copy()
    case.make()
    for array, copy in zip(
        (case.gram, case.features, case.weights), before, strict=True
    ):
        assert_array_equal(array, copy)


def test_base_class_has_no_coordinates():
    with pytest.raises(NotImplementedError):
        Smoother(np.eye(2), np.ones(2), low_rank=False).coordinates(np.ones((2, 1)))


@pytest.mark.parametrize("shape", [(30,), (30, 3)])
def test_products_of_targets_that_change_little_are_those_of_new_ones(case, rng, shape):
    smoother, Y = case.make(), np.sign(rng.normal(size=shape))
    for step in range(70):  # more than the updates from one product
        Y[step % 30] *= -1.0
        if step == 40:
            Y = -Y  # all targets at once
        assert_allclose(smoother @ Y, case.R @ Y, atol=1e-10)
    assert_allclose(smoother @ np.ones(30), case.R @ np.ones(30), atol=1e-10)
