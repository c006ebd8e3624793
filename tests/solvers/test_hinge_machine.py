import numpy as np
import pytest
from label_reference import rbf_gram
from numpy.testing import assert_allclose, assert_array_equal
from piece_reference import minimum, random_pieces
from scipy import sparse

from widemargin.kernels import KernelRows, Rbf
from widemargin.solvers.hinge_machine import (
    GramMachine,
    RowMachine,
    WeightMachine,
    roughness,
)
from widemargin.solvers.result import Status


@pytest.fixture
def gram(X):
    return rbf_gram(X)


@pytest.fixture
def pieces(rng):
    return random_pieces(rng, 30)


@pytest.fixture
def weights(rng):
    """Of the samples to be centred on, ten of which do not count."""
    weights = rng.random(30)
    weights[:10] = 0.0
    return weights / weights.sum()


@pytest.fixture
def solution(rng):
    """Two functions."""
    return rng.standard_normal((31, 2))


def centered_gram(gram, weights):
    """By its definition: the mean subtracted from rows and columns."""
    project = np.eye(len(gram)) - np.outer(np.ones(len(gram)), weights)
    return project @ gram @ project.T


def columns(machine, solution):
    return np.column_stack([machine.scores(one) for one in solution.T])


def test_centered_gram_is_the_explicit_one(gram, weights):
    machine = GramMachine(gram.copy(), 1e-5).centered(weights)
    assert_allclose(machine.gram, centered_gram(gram, weights), atol=1e-12)
    assert_allclose(machine.gram @ weights, 0.0, atol=1e-12)
    assert machine.tol == 1e-5
    assert machine.n_samples == 30


def test_centring_leaves_the_matrix_alone(gram, weights):
    machine = GramMachine(gram.copy())
    machine.centered(weights)
    assert_array_equal(machine.gram, gram)
    assert machine.center is None


@pytest.mark.parametrize("is_centered", [False, True])
def test_function_of_kernels_scores_the_samples(gram, weights, solution, is_centered):
    """Coefficients of the given kernel, whatever it was centred on."""
    machine = GramMachine(gram)
    machine = machine.centered(weights) if is_centered else machine
    coefficients, intercepts = machine.function(solution)
    expected = columns(machine, solution)
    assert_allclose(gram @ coefficients + intercepts, expected, atol=1e-10)
    assert_allclose(expected, machine.gram @ solution[:-1] + solution[-1], atol=1e-10)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("is_centered", [False, True])
def test_weights_score_the_samples(X, weights, solution, is_centered, kind):
    machine = WeightMachine(kind(X))
    machine = machine.centered(weights) if is_centered else machine
    w, intercepts = machine.function(solution)
    expected = columns(machine, solution)
    assert w.shape == (3, 2)
    assert_allclose(X @ w + intercepts, expected, atol=1e-10)
    rows = X - weights @ X if is_centered else X
    assert_allclose(expected, rows @ (rows.T @ solution[:-1]) + solution[-1])


def test_coefficients_of_zero_are_not_read(gram):
    """A function of few kernels, as the machines make them."""
    solution = np.zeros(31)
    solution[[3, 8, 30]] = 1.0, -2.0, 0.5
    expected = gram[3] - 2.0 * gram[8] + 0.5
    assert_allclose(GramMachine(gram).scores(solution), expected)
    assert_array_equal(GramMachine(gram).scores(np.eye(31)[30]), np.ones(30))


@pytest.mark.parametrize("intercept", [0.0, -0.6])
@pytest.mark.parametrize("make", [rbf_gram, None], ids=["kernel values", "weights"])
def test_mean_score_is_the_fixed_intercept(X, pieces, weights, make, intercept):
    """Whatever the coefficients: of the solution and of any others."""
    machine = WeightMachine(X) if make is None else GramMachine(make(X))
    machine = machine.centered(weights)
    solution = machine.solve(pieces, intercept).solution
    assert np.abs(machine.scores(solution)).max() > 0.1
    assert_allclose(weights @ machine.scores(solution), intercept, atol=1e-8)
    other = np.append(7.0 * np.cos(np.arange(30)), intercept)
    assert_allclose(weights @ machine.scores(other), intercept, atol=1e-8)


@pytest.mark.parametrize("intercept", [None, 0.3])
@pytest.mark.parametrize("is_centered", [False, True])
def test_solution_is_the_minimum(gram, pieces, weights, intercept, is_centered):
    machine = GramMachine(gram, 1e-8)
    machine = machine.centered(weights) if is_centered else machine
    result = machine.solve(pieces, intercept)
    assert result.status is Status.CONVERGED
    used = centered_gram(gram, weights) if is_centered else gram
    assert_allclose(result.objective, minimum(used, pieces, intercept), rtol=1e-6)
    scores = machine.scores(result.solution)
    value = 0.5 * roughness(result.solution, scores) + pieces.value(scores)
    assert_allclose(value, result.objective)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("intercept", [None, -0.3])
@pytest.mark.parametrize("is_centered", [False, True])
def test_weights_equal_kernel_values(X, pieces, weights, kind, intercept, is_centered):
    """Of the linear kernel; both ways to the same scores of new samples."""
    features = np.where(np.abs(X) < 0.3, 0.0, X)
    by_weights = WeightMachine(kind(features), 1e-11)
    by_kernel = GramMachine(features @ features.T, 1e-9)
    if is_centered:
        by_weights = by_weights.centered(weights)
        by_kernel = by_kernel.centered(weights)
    ours, theirs = (
        machine.solve(pieces, intercept) for machine in (by_weights, by_kernel)
    )
    assert ours.status is theirs.status is Status.CONVERGED
    assert_allclose(ours.objective, theirs.objective, rtol=1e-7)
    scores = by_weights.scores(ours.solution)
    assert np.ptp(scores) > 0.1
    assert_allclose(scores, by_kernel.scores(theirs.solution), atol=1e-4)
    norm = roughness(theirs.solution, by_kernel.scores(theirs.solution))
    assert_allclose(roughness(ours.solution, scores), norm, rtol=1e-4)
    w, b = by_weights.function(ours.solution[:, None])
    coefficients, c = by_kernel.function(theirs.solution[:, None])
    assert_allclose(w, features.T @ coefficients, atol=1e-4)
    assert_allclose(b, c, atol=1e-4)


@pytest.mark.parametrize("is_centered", [False, True])
def test_roughness_is_the_squared_norm(X, gram, weights, solution, is_centered):
    by_kernel, by_weights = GramMachine(gram), WeightMachine(X)
    rows, used = X, gram
    if is_centered:
        by_kernel, by_weights = (
            by_kernel.centered(weights),
            by_weights.centered(weights),
        )
        rows, used = X - weights @ X, centered_gram(gram, weights)
    a = solution[:, 0]
    assert_allclose(roughness(a, by_kernel.scores(a)), a[:-1] @ used @ a[:-1])
    w = rows.T @ a[:-1]
    assert_allclose(roughness(a, by_weights.scores(a)), w @ w)


def test_start_saves_steps(X, gram, pieces):
    for machine in (GramMachine(gram), WeightMachine(X)):
        cold = machine.solve(pieces)
        warm = machine.solve(pieces, start=cold.solution)
        assert cold.n_iter > 5
        assert warm.n_iter <= 2


def test_tolerance_is_kept(X, gram, pieces):
    for make, data in ((GramMachine, gram), (WeightMachine, X)):
        loose, tight = (make(data, tol).solve(pieces) for tol in (1e-2, 1e-6))
        assert loose.history["criterion"][-1] <= 1e-2
        assert tight.history["criterion"][-1] <= 1e-6
        assert tight.n_iter > loose.n_iter


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_part_is_the_machine_of_these_samples(X, gram, kind):
    rows = np.array([4, 9, 2, 20])
    part = GramMachine(gram, 1e-5).part(rows)
    assert_array_equal(part.gram, rbf_gram(X[rows]))
    assert (part.tol, part.n_samples, part.center) == (1e-5, 4, None)
    part = WeightMachine(kind(X), 1e-5).part(rows)
    dense = part.features if kind is np.asarray else part.features.toarray()
    assert_array_equal(dense, X[rows])
    assert (part.tol, part.n_samples, part.center) == (1e-5, 4, None)


@pytest.mark.parametrize("intercept", [None, 0.2])
@pytest.mark.parametrize("is_centered", [False, True])
def test_single_precision_is_enough(gram, X, pieces, weights, intercept, is_centered):
    """A Gram matrix stays in it; solutions and functions are double."""
    for make, data in ((GramMachine, gram), (WeightMachine, X)):
        machines = make(data, 1e-4), make(data.astype(np.float32), 1e-4)
        if is_centered:
            machines = [machine.centered(weights) for machine in machines]
        double, single = (machine.solve(pieces, intercept) for machine in machines)
        assert single.status is Status.CONVERGED
        assert single.solution.dtype == np.float64
        assert_allclose(single.objective, double.objective, rtol=1e-3)
        for part in machines[1].function(single.solution[:, None]):
            assert part.dtype == np.float64
        if make is GramMachine:
            assert machines[1].gram.dtype == np.float32
        scores = machines[1].scores(single.solution)
        assert scores.dtype == np.float64
        assert_allclose(scores, machines[0].scores(double.solution), atol=2e-2)
        if is_centered and intercept is not None:
            assert_allclose(weights @ scores, intercept, atol=1e-5)


@pytest.mark.parametrize("intercept", [None, -0.3])
@pytest.mark.parametrize("is_centered", [False, True])
def test_rows_on_demand_equal_the_matrix(X, pieces, weights, intercept, is_centered):
    """The same solution, scores, function and part, without a Gram matrix."""
    kernel = Rbf(0.5)
    by_rows = RowMachine(KernelRows(kernel, X), 1e-9)
    whole = GramMachine(kernel(X), 1e-9)
    assert by_rows.n_samples == whole.n_samples == 30
    assert_allclose(by_rows.part([4, 9, 2]).gram, whole.part([4, 9, 2]).gram)
    assert by_rows.part([4, 9, 2]).tol == 1e-9
    if is_centered:
        by_rows, whole = by_rows.centered(weights), whole.centered(weights)
    ours, theirs = (machine.solve(pieces, intercept) for machine in (by_rows, whole))
    assert ours.status is theirs.status is Status.CONVERGED
    assert_allclose(ours.objective, theirs.objective, rtol=1e-8)
    scores = by_rows.scores(ours.solution)
    assert_allclose(scores, whole.scores(theirs.solution), atol=1e-6)
    functions = [
        machine.function(result.solution[:, None])
        for machine, result in ((by_rows, ours), (whole, theirs))
    ]
    for coefficients, intercepts in functions:
        assert_allclose(
            (kernel(X) @ coefficients + intercepts)[:, 0], scores, atol=1e-6
        )
    if is_centered and intercept is not None:
        assert_allclose(weights @ scores, intercept, atol=1e-8)
    again = by_rows.solve(pieces, intercept, ours.solution)
    assert again.n_iter <= 2 < ours.n_iter
