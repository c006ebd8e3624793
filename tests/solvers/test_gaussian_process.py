"""Rows that the hyperparameters of a process are learned from."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import pdist

from widemargin import SelfLabelingGPC
from widemargin.rows import Rows
from widemargin.sample import collect_sample
from widemargin.solvers.evidence import LabelEvidence
from widemargin.solvers.gaussian_process import (
    distance_coordinates,
    evidence_rows,
)


@pytest.mark.parametrize("shift", [0.0, 1e6])
@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_array])
def test_coordinates_have_the_distances_of_the_rows(rng, as_rows, shift):
    X = rng.standard_normal((12, 300)) * (rng.random((12, 300)) < 0.2)
    X[3] = X[7]
    X = X if as_rows is sparse.csr_array else X + shift
    found = distance_coordinates(as_rows(X))
    assert found.shape == (12, 12)
    assert_allclose(pdist(found), pdist(X), rtol=1e-7, atol=1e-6)


@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_array])
def test_columns_of_zeros_change_no_hyperparameter(rng, as_rows):
    """With more columns than labels, the fit works with coordinates instead."""
    X = rng.standard_normal((40, 8)) + np.repeat([[0.0], [1.0]], 20, axis=0)
    y = np.where(np.arange(40) % 2, np.repeat([0, 1], 20), -1)
    wide = as_rows(np.hstack([X, np.zeros((40, 500))]))
    narrow, wide = (SelfLabelingGPC(random_state=0).fit(Z, y) for Z in (X, wide))
    assert_allclose(
        [wide.noise_, wide.scale_, wide.function_.kernel.gamma],
        [narrow.noise_, narrow.scale_, narrow.function_.kernel.gamma],
        rtol=1e-4,
    )
    assert_array_equal(wide.transduction_, narrow.transduction_)


def test_rows_of_evidence_have_labels_of_every_class(rng):
    y = np.repeat([0, 1, 2, -1], [60, 50, 2, 30])
    sample = collect_sample(Rows(rng.standard_normal((len(y), 2))), y)
    idx = evidence_rows(sample, 20, rng)
    assert len(idx) <= 22  # two of the rare class
    assert set(y[idx]) == {0, 1, 2}
    labeled = np.flatnonzero(y >= 0)
    more = evidence_rows(sample, 120, rng)
    assert len(more) == 120
    assert np.isin(labeled, more).all()


def test_a_single_row_is_no_evidence():
    with pytest.raises(ValueError, match=r"max_rows of LabelEvidence must be .* >= 2"):
        LabelEvidence(max_rows=1)
