from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import block_diag

from widemargin.objectives.laplacian import Functions
from widemargin.spaces import FeatureSpace, GramSpace
from widemargin.spaces.deformed import DeformedFeatures, DeformedKernel


@dataclass
class Case:
    """Functions beside their matrices: scores B c, norms c'P c and c'N c."""

    functions: object
    basis: np.ndarray  # B
    preconditioner: np.ndarray  # P
    norm: np.ndarray  # N, the ambient one
    hidden: bool = False  # from the graph: whether the intercept is


INTERCEPTS = {"b inside": (0.0, True), "b penalized": (0.4, False)}


@pytest.fixture(
    params=[
        f"{kind}{intercept}"
        for kind in ("kernel", "features")
        for intercept in ("", " + b inside", " + b penalized")
    ]
)
def case(request, rng):
    features = rng.normal(size=(12, 5))
    gram = features @ features.T  # singular
    if request.param.startswith("kernel"):
        case = Case(Functions(GramSpace(gram)), gram, gram, gram)
    else:
        case = Case(Functions(FeatureSpace(features)), features, np.eye(5), np.eye(5))
    if "+" not in request.param:
        return case
    ridge, inside = INTERCEPTS[request.param.split(" + ")[1]]
    return Case(
        Functions(case.functions.space, constant=True, ridge=ridge, inside=inside),
        np.column_stack([case.basis, np.ones(12)]),
        block_diag(case.preconditioner, 1.0),
        block_diag(case.norm, ridge),
        hidden=not inside,
    )


@pytest.fixture
def coordinates(case, rng):
    """Two sets of three columns."""
    return rng.normal(size=(2, case.basis.shape[1], 3))


def test_sizes(case):
    assert case.basis.shape == (case.functions.n_rows, case.functions.n_coordinates)
    assert case.functions.dtype == case.basis.dtype


def test_scores(case, coordinates):
    c, _ = coordinates
    assert_allclose(case.functions.scores(c), case.basis @ c, atol=1e-12)


def test_pull_is_preconditioned_transpose(case, rng):
    """P pull(h) = B'h, though P may have no inverse."""
    by_loss, by_graph = rng.normal(size=(2, 12, 3))
    pulled = case.functions.pull(by_loss, by_graph)
    assert pulled.shape == (case.basis.shape[1], 3)
    seen = case.basis.copy()
    if case.hidden:
        seen[:, -1] = 0.0
    expected = case.basis.T @ by_loss + seen.T @ by_graph
    assert_allclose(case.preconditioner @ pulled, expected, atol=1e-12)


def test_graph_sees_all_but_a_hidden_intercept(case, coordinates):
    c, _ = coordinates
    expected = case.basis @ c - (c[-1] if case.hidden else 0.0)
    scores = case.basis @ c
    assert_allclose(case.functions.seen_by_graph(c, scores), expected, atol=1e-12)


def test_inner_products(case, coordinates):
    c, d = coordinates
    scores = case.basis @ d
    inner, ambient = (
        np.diagonal(c.T @ M @ d) for M in (case.preconditioner, case.norm)
    )
    assert_allclose(case.functions.inner(c, d, scores), inner, atol=1e-12)
    assert_allclose(
        case.functions.inner(c, d, scores, case.functions.ridge), ambient, atol=1e-12
    )


def test_penalized_is_what_the_norm_sees(case, coordinates):
    """P penalized(c) = N c, and c is not written to."""
    c, _ = coordinates
    before = c.copy()
    penalized = case.preconditioner @ case.functions.penalized(c)
    assert_allclose(penalized, case.norm @ c, atol=1e-12)
    assert_array_equal(c, before)


def test_preconditioned_gradient(case, coordinates):
    """P (pull(dh) + ridge penalized(c)) is the gradient of h(Bc) + ridge/2 c'N c."""
    c, d = coordinates[..., :1]
    ridge, step = 0.3, 1e-6

    def objective(c):
        return np.log1p((case.basis @ c) ** 2).sum() + ridge / 2 * c.T @ case.norm @ c

    f = case.functions.scores(c)
    direction = case.functions.pull(2 * f / (1 + f**2), np.zeros_like(f))
    direction += ridge * case.functions.penalized(c)
    slope = case.functions.inner(direction, d, case.basis @ d)
    difference = objective(c + step * d) - objective(c - step * d)
    assert_allclose(slope, (difference / (2 * step)).ravel(), rtol=1e-6)


@pytest.mark.parametrize("case", ["kernel", "features"], indirect=True)
def test_mean_diagonal_of_a_space_is_the_mean_of_k_x_x(case):
    kernel = case.basis @ np.linalg.pinv(case.preconditioner) @ case.basis.T
    assert_allclose(case.functions.space.mean_diagonal(), np.diagonal(kernel).mean())


@pytest.mark.parametrize("case", ["kernel", "features"], indirect=True)
def test_part_of_a_space_is_that_of_some_rows(case):
    """The same kernel between these rows."""
    idx = np.array([7, 2, 4])
    part = case.functions.space.part(idx)
    kernel = case.basis @ np.linalg.pinv(case.preconditioner) @ case.basis.T
    assert part.n_rows == 3
    assert_allclose(part.kernel_product(np.eye(3)), kernel[np.ix_(idx, idx)])


@pytest.mark.parametrize(
    ("case", "kind"),
    [("kernel", DeformedKernel), ("features", DeformedFeatures)],
    indirect=["case"],
)
def test_deformed_norm_is_of_the_same_kind(case, kind, rng):
    """(P + ratio B'L B) c = B'h for the solution c."""
    half = rng.normal(size=(12, 12))
    laplacian, h = half @ half.T, rng.normal(size=(12, 2))
    deformed = case.functions.space.deformed(laplacian, 0.1)
    assert isinstance(deformed, kind)
    norm = case.preconditioner + 0.1 * case.basis.T @ laplacian @ case.basis
    assert_allclose(norm @ deformed.solve(h), case.basis.T @ h, atol=1e-9)
