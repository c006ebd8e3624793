"""The public interface as a user calls it, for the type checker (`make lint`).

Nothing here is run. A public function or method without annotations, or with a return
type that is not the one below, is an error of the checker.
"""

from pathlib import Path
from typing import Any, assert_type

import numpy as np

import widemargin
from widemargin import (
    FewLabelClassifier,
    LabelSearchClassifier,
    LaplacianRLSC,
    LaplacianSVC,
    LowDensityClassifier,
    MaxMarginClustering,
    SelfLabelingGPC,
    SelfLabelingSVC,
    SemiSupervisedSplit,
    SpectralClassifier,
    TransductiveSVC,
    TriClassSVC,
    UniversumSVC,
    suggest_rows,
)
from widemargin.datasets import hide_labels, make_two_moons
from widemargin.estimators.interaction import Explanation, Suspects
from widemargin.model_selection import (
    held_out_scorer,
    labeled_scorer,
    leave_one_out_score,
    select_balance,
)
from widemargin.parameters import Balance, KnnGraph, Pcg, Rbf
from widemargin.solvers.active_learning import Suggestions


def use_everything() -> None:
    """Call it as a user would; pytest imports this file, and must not fit anything."""
    X, y = make_two_moons(100, noise=0.1, random_state=0)
    assert_type(X, np.ndarray)
    y_partial: np.ndarray = hide_labels(y, 10, rng=0)
    weights = np.ones(len(X))

    few = FewLabelClassifier(random_state=0).fit(X, y_partial, sample_weight=weights)
    assert_type(few, FewLabelClassifier)
    assert_type(few.predict(X), np.ndarray)
    assert_type(few.predict_proba(X), np.ndarray)
    assert_type(few.score(X, y), float)
    assert_type(few.suggest(5), Suggestions)
    assert_type(few.explain(X), Explanation)
    assert_type(few.update(y_partial, random_labels=[0, 1]), FewLabelClassifier)

    spectral = SpectralClassifier(kernel=Rbf(0.5), graph=KnnGraph(7), families="labels")
    assert_type(spectral.fit(X, y_partial), SpectralClassifier)
    assert_type(spectral.suggest(3), Suggestions)
    assert_type(spectral.suspect_labels(), Suspects)
    assert_type(spectral.update(y_partial), SpectralClassifier)
    assert_type(suggest_rows(X), Suggestions)

    laplacian = LaplacianSVC(kernel="rbf", graph="knn", solver=Pcg(max_iter=10))
    assert_type(laplacian.fit(X, y_partial, adjacency=None), LaplacianSVC)
    models = laplacian.fit_grid(X, y_partial, ambient_reg=[1.0], intrinsic_reg=[0.1])
    assert_type(models, list[LaplacianSVC])
    assert_type(laplacian.set_params(kernel__gamma=0.1), LaplacianSVC)

    assert_type(LaplacianRLSC().fit(X, y_partial), LaplacianRLSC)
    assert_type(LowDensityClassifier().fit(X, y_partial), LowDensityClassifier)
    assert_type(SelfLabelingSVC().fit(X, y_partial), SelfLabelingSVC)
    assert_type(UniversumSVC().fit(X, y_partial), UniversumSVC)
    assert_type(TriClassSVC().fit(X, y_partial).predict_relevance(X), np.ndarray)
    process = SelfLabelingGPC(landmarks=20).fit(X, y_partial)
    assert_type(process.predict_proba(X), np.ndarray)
    process.predict(X, return_std=True)

    search = LabelSearchClassifier(balance=Balance({0: 0.5, 1: 0.5}))
    paths = search.fit_path(X, y_partial, ambient_reg=[1.0, 2.0])
    assert_type(paths, list[LabelSearchClassifier])
    text = TransductiveSVC(kernel="linear", balance={0: 0.3, 1: 0.7}).fit(X, y_partial)
    assert_type(text.decision_function(X), np.ndarray)

    clusters = MaxMarginClustering(n_clusters=2, random_state=0).fit(X, fixed=y_partial)
    assert_type(clusters, MaxMarginClustering)
    assert_type(clusters.predict(X), np.ndarray)

    for train, test in SemiSupervisedSplit(5).split(X, y_partial):
        assert_type(train, np.ndarray)
        assert_type(test, np.ndarray)
    assert_type(leave_one_out_score(few, y_partial, scoring="log_loss"), float)
    assert_type(labeled_scorer("accuracy")(few, X, y_partial), float)
    assert_type(held_out_scorer()(few, X, y_partial), float)
    select_balance(y_partial, interval=0.9)

    widemargin.save(few, Path("model.wm"))
    assert_type(widemargin.load("model.wm"), Any)
