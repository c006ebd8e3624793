import numpy as np
import pandas as pd
import pytest
from clusterings import FIXED
from numpy.testing import assert_array_equal
from sklearn.base import clone

from widemargin.estimators.margin_clustering import MaxMarginClustering
from widemargin.labelling.constraints import read_constraints


def test_masks_positions_and_missing_values_are_the_same(blobs):
    X, y = blobs
    fixed = np.arange(90) < 5
    model = MaxMarginClustering(3, random_state=0, **FIXED)
    expected = clone(model).fit(X, init=np.where(fixed, y, -1), fixed=fixed).labels_
    floats = np.where(fixed, y, np.nan)
    for init in (
        floats,
        pd.Series(floats),
        pd.Series(floats).astype("Int64"),
        [int(v) if f else None for v, f in zip(y, fixed, strict=True)],
    ):
        labels = clone(model).fit(X, init=init, fixed=range(5)).labels_
        assert_array_equal(labels, expected)


@pytest.mark.parametrize(
    ("init", "fixed", "message"),
    [
        ([0, 1], None, r"init of MaxMarginClustering.fit .* 90 samples.* \(2,\)"),
        (0, None, r"init of MaxMarginClustering.fit .* 90 samples.* shape \(\)"),
        (
            np.zeros((90, 2), int),
            None,
            r"init of MaxMarginClustering.fit .* 90 samples.* got shape \(90, 2\)",
        ),
        (["a"] * 90, None, "init of MaxMarginClustering.fit .* whole .* type <U1"),
        (
            np.array([0, 1, "a"] * 30, dtype=object),
            None,
            "init of MaxMarginClustering.fit .* from 0 to 2.* got ",
        ),
        (
            np.arange(90) % 4,
            None,
            r"init of MaxMarginClustering.fit .* from 0 to 2.* got 3\.$",
        ),
        (
            np.arange(90) % 3 - 2,
            None,
            r"init of MaxMarginClustering.fit .* -1 for none, got -2\.$",
        ),
        (
            np.full(90, 0.5),
            None,
            r"init of MaxMarginClustering.fit .* whole .* got 0\.5\.$",
        ),
        (
            np.array([np.int64(7), None] * 45, dtype=object),
            None,
            r"init of MaxMarginClustering.fit .* from 0 to 2.* got 7\.$",
        ),
        (
            np.zeros(90, int),
            [np.int64(3), np.int64(90)],
            r"fixed of MaxMarginClustering.fit .* to 89, got \[ ?3, 90\]\.$",
        ),
        (
            np.zeros(90, int),
            np.arange(90) % 2,
            r"fixed of MaxMarginClustering.fit .* got \[0, 1, 0, \.\.\., 1, 0, 1\]",
        ),
        (None, [4], "fixed of MaxMarginClustering.fit names sample 4, .* pass init"),
        (
            np.where(np.arange(90) < 3, 0, -1),
            [0, 1, 7],
            "fixed of MaxMarginClustering.fit names sample 7, for which init has no",
        ),
        (
            np.zeros(90, int),
            np.ones(9, bool),
            r"fixed of MaxMarginClustering.fit .* mask of 90 .* got \[ True,  True",
        ),
        *(
            (
                np.zeros(90, int),
                fixed,
                r"fixed of MaxMarginClustering.fit .* positions from 0 to 89, got \[",
            )
            for fixed in ([90], [0, 500], [-1], [0.5], ["a"], [[0, 1]])
        ),
    ],
)
def test_bad_constraints_are_refused(blobs, init, fixed, message):
    X, _ = blobs
    with pytest.raises(ValueError, match=message):
        MaxMarginClustering(3).fit(X, init=init, fixed=fixed)
    with pytest.raises(ValueError, match=message):
        MaxMarginClustering(3).fit_path(X, ambient_reg=[0.1], init=init, fixed=fixed)


def test_no_fixed_rows(blobs):
    X, y = blobs
    init = np.where(np.arange(90) < 5, y, -1)
    model = MaxMarginClustering(3, random_state=0, **FIXED)
    expected = clone(model).fit(X, init=init).labels_
    for fixed in ([], np.zeros(90, bool), np.zeros(0, int)):
        assert_array_equal(
            clone(model).fit(X, init=init, fixed=fixed).labels_, expected
        )


def test_no_cluster_may_be_written_in_two_ways():
    """-1 and a missing value, side by side."""
    for init in ([0, -1, None, 1], [0.0, -1.0, np.nan, 1.0], [0, -1, pd.NA, 1]):
        constraints = read_constraints(np.array(init), None, 4, 2, "fit")
        assert constraints.named.tolist() == [True, False, False, True]
        assert constraints.codes[[0, 3]].tolist() == [0, 1]
