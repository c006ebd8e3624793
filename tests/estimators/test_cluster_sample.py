import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from widemargin.estimators._cluster_sample import collect_rows
from widemargin.estimators._cluster_wishes import Wishes


@pytest.fixture
def wishes(rng):
    wished = rng.random(30) < 0.5
    return Wishes(rng.integers(3, size=30, dtype=np.int32), wished, wished)


@pytest.mark.parametrize("kind", ["rows", "sparse", "gram"])
def test_part_is_the_sample_of_these_rows(X, wishes, kind):
    given = {"rows": X, "sparse": sparse.csr_array(X), "gram": X @ X.T}[kind]
    rows = np.array([2, 5, 7, 11, 29])
    part = collect_rows(given, wishes, pairwise=kind == "gram").part(rows)
    expected = X[rows] @ X[rows].T if kind == "gram" else X[rows]
    found = part.X.toarray() if kind == "sparse" else part.X
    assert_allclose(found, expected)
    assert_array_equal(part.wishes.codes, wishes.codes[rows])
    assert_array_equal(np.sort(part.order), np.arange(5))
    assert_allclose(part.weights, 0.2)


@pytest.mark.parametrize("pairwise", [False, True])
def test_order_does_not_depend_on_that_of_rows(X, wishes, rng, pairwise):
    rows = rng.permutation(30)
    sample = collect_rows(X @ X.T if pairwise else X, wishes, pairwise=pairwise)
    shuffled = sample.part(rows)
    assert_array_equal(rows[shuffled.order], sample.order)
