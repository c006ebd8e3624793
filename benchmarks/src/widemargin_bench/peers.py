"""What one would use instead: other methods on the same draws.

scikit-learn's are always there; those of other packages if these are installed.
"""

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.semi_supervised import (
    LabelPropagation,
    LabelSpreading,
    SelfTrainingClassifier,
)
from sklearn.svm import SVC

from widemargin_bench.benchmark import Method

CLASSIFIER_SETTINGS = (
    "Peers are scikit-learn's: SVC with C = 10 and GaussianProcessClassifier (scale "
    "and width learned) on the labels alone, LabelSpreading and LabelPropagation with "
    "7 neighbors, SelfTraining of logistic regression."
)
CLUSTERER_SETTINGS = (
    "Peers are scikit-learn's: k-means (best of 10), spectral clustering of 10 nearest "
    "neighbors, Gaussian mixtures (best of 3; with 100 features or more one start and "
    "1e-3 added to the variances)."
)


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
    if sparse.issparse(draw.X):  # it has no way with them
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


_CLASSIFIERS = {
    "SVC": _svc,
    "LabelSpreading": _spreading,
    "LabelPropagation": _propagation,
    "SelfTraining": _self_training,
    "GaussianProcess": _process,
}
_CLUSTERERS = {"KMeans": _k_means, "Spectral": _spectral, "GaussianMixture": _mixture}
