from numpy.testing import assert_array_equal

from widemargin.kernels import FullBasis


def test_every_sample_with_its_own_coefficient(rng):
    basis, c = FullBasis(5), rng.normal(size=(5, 2))
    assert_array_equal(basis.rows, [0, 1, 2, 3, 4])
    assert_array_equal(basis.coefficients(c), c)
