import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import cho_solve

from widemargin.linalg.cholesky import jittered_cholesky, without_negative_part


def test_positive_definite_matrix_gets_no_jitter(rng):
    half = rng.standard_normal((8, 8))
    matrix, b = half @ half.T + np.eye(8), rng.standard_normal(8)
    factor, jitter = jittered_cholesky(matrix)
    assert jitter == 0.0
    assert_allclose(matrix @ cho_solve(factor, b), b, atol=1e-9)


def test_rounding_of_single_precision_is_healed(rng):
    """A singular matrix rounded to single precision has negative eigenvalues."""
    half = rng.standard_normal((40, 3))
    matrix = (half @ half.T).astype(np.float32).astype(np.float64)
    assert np.linalg.eigvalsh(matrix)[0] < 0
    factor, jitter = jittered_cholesky(matrix)
    assert 0 < jitter < 1e-4
    assert np.isfinite(factor[0]).all()


def test_indefinite_matrix_is_refused():
    with pytest.raises(ValueError, match="not positive semi-definite"):
        jittered_cholesky(np.array([[1.0, 2.0], [2.0, 1.0]]))


def test_negative_part_is_cut_off_and_nothing_else(rng):
    half = rng.standard_normal((20, 3))
    matrix = half @ half.T
    assert without_negative_part(matrix) is matrix
    noise = 1e-4 * rng.standard_normal((20, 20))
    cut = without_negative_part(matrix + noise + noise.T)
    assert np.linalg.eigvalsh(cut)[0] > -1e-12
    assert_allclose(cut, matrix, atol=2e-3)
