"""Methods of several tables: our estimators with default settings, and peers.

Peers are what one would use instead, on the same draws.
"""

import warnings

import numpy as np
from scipy import sparse
from sklearn.cluster import (
    HDBSCAN,
    AgglomerativeClustering,
    KMeans,
    SpectralClustering,
)
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.semi_supervised import (
    LabelPropagation,
    LabelSpreading,
    SelfTrainingClassifier,
)
from sklearn.svm import SVC

from widemargin import MaxMarginClustering
from widemargin_bench.benchmark import Method

CLASSIFIER_SETTINGS = (
    "Peers are scikit-learn's: SVC with C = 10 and GaussianProcessClassifier (scale "
    "and width learned) on the labels alone, LabelSpreading and LabelPropagation with "
    "7 neighbors, SelfTraining of logistic regression."
)
CLUSTERER_SETTINGS = (
    "Peers are scikit-learn's: k-means (best of 10), spectral clustering of 10 nearest "
    "neighbors, Gaussian mixtures (best of 3; with 100 features or more one start and "
    "1e-3 added to the variances), agglomerative clustering with Ward's linkage, "
    "HDBSCAN with at least 10 rows per cluster, which "
    "finds the number of clusters itself; its rows of no cluster count as one."
)
N_FOLDS = 5
# C and width of the tuned SVC. The first of equals is taken: common values come first.
COSTS = (10.0, 1.0, 100.0, 0.1)
WIDTHS = (1.0, 0.3, 3.0, 0.1)  # over the number of features times their variance


def default(estimator, name="", *, most_rows=None, **options):
    """Our estimator with default settings, on draws of at most so many rows."""

    def measure(draw, _):
        if most_rows is not None and len(draw.y) > most_rows:
            return {}
        return draw.measure(estimator(**{"random_state": draw.seed} | options))

    return Method(name or estimator.__name__, measure, "ours")


def _default_clustering(draw, _):
    return draw.measure(MaxMarginClustering(draw.n_clusters, random_state=draw.seed))


# no input but the rows and the number of clusters
DEFAULT_CLUSTERING = Method("MaxMarginClustering", _default_clustering, "ours")


def classifiers(*names):
    """Peers for partly labeled draws, all or those of the given names."""
    return _some(_CLASSIFIERS, names)


def clusterers(*names):
    """Peers for unlabeled draws, all or those of the given names."""
    return _some(_CLUSTERERS, names)


def _some(peers, names):
    chosen = names or peers
    return tuple(Method(name, peers[name], "peer") for name in chosen)


def _svc(draw, _):
    return draw.measure(SVC(C=10), supervised=True)


def make_process(X):
    """scikit-learn's Gaussian process, its width to start from that of the rows."""
    width = np.sqrt(X.shape[1] * X.var())
    kernel = ConstantKernel() * RBF(width, (0.01 * width, 100 * width))
    return GaussianProcessClassifier(kernel, random_state=0)


def _process(draw, _):
    if sparse.issparse(draw.X):  # which it does not support
        return {}
    return draw.measure(make_process(draw.X), supervised=True)


def _self_training(draw, _):
    return draw.measure(SelfTrainingClassifier(LogisticRegression(max_iter=1000)))


def _spreading(draw, _):
    return draw.measure(LabelSpreading(kernel="knn", n_neighbors=7))


def _propagation(draw, _):
    return draw.measure(LabelPropagation(kernel="knn", n_neighbors=7))


def _k_means(draw, _):
    return draw.measure(KMeans(draw.n_clusters, n_init=10, random_state=draw.seed))


def _spectral(draw, _):
    model = SpectralClustering(
        draw.n_clusters, affinity="nearest_neighbors", random_state=draw.seed
    )
    return draw.measure(model)


def _mixture(draw, _):
    if sparse.issparse(draw.X):
        return {}
    is_wide = draw.X.shape[1] >= 100  # slow, and its covariances have no inverse
    model = GaussianMixture(
        draw.n_clusters,
        n_init=1 if is_wide else 3,
        reg_covar=1e-3 if is_wide else 1e-6,
        random_state=draw.seed,
    )
    return draw.measure(model)


def _ward(draw, _):
    if sparse.issparse(draw.X):
        return {}
    return draw.measure(AgglomerativeClustering(draw.n_clusters))


def _density(draw, _):
    if sparse.issparse(draw.X):
        return {}
    return draw.measure(HDBSCAN(min_cluster_size=10, copy=True))


_CLASSIFIERS = {
    "SVC": _svc,
    "LabelSpreading": _spreading,
    "LabelPropagation": _propagation,
    "SelfTraining": _self_training,
    "GaussianProcess": _process,
}
_CLUSTERERS = {
    "KMeans": _k_means,
    "Spectral": _spectral,
    "GaussianMixture": _mixture,
    "Ward": _ward,
    "HDBSCAN": _density,
}


def tuned_svc(draw, _):
    """SVC on the labels, tuned by cross-validation."""
    return draw.measure(make_tuned_svc(draw), supervised=True)


def make_tuned_svc(draw):
    """An SVC that tunes C and gamma itself; C=10 if no class has two labels."""
    X, y = draw.labeled_part
    folds = label_folds(y, draw.seed)
    model = SVC(C=10)
    if folds:
        grid = {"C": COSTS, "gamma": [width / spread(X) for width in WIDTHS]}
        model = GridSearchCV(model, grid, cv=folds, error_score="raise")
    return model


def spread(X):
    """Number of features times variance, as in SVC's width "scale"."""
    if sparse.issparse(X):
        return X.shape[1] * (X.multiply(X).mean() - X.mean() ** 2)
    return X.shape[1] * X.var()


def label_folds(y, seed):
    """Positions of labels to fit on and to hold out, as scikit-learn's splitters.

    The only label of a class is never held out, so that all classes are in each
    training part. The list is empty if no class has two labels.
    """
    counts = np.bincount(y)
    n_folds = min(N_FOLDS, counts.max())
    if n_folds < 2:
        return []
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        held_out = [rows[counts[y[rows]] > 1] for _, rows in splitter.split(y, y)]
    every = np.arange(len(y))
    return [(np.setdiff1d(every, rows), rows) for rows in held_out if len(rows)]
