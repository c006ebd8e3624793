"""What one would use instead: other methods on the same draws.

scikit-learn's are always there; those of other packages if these are installed.
"""

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.semi_supervised import (
    LabelPropagation,
    LabelSpreading,
    SelfTrainingClassifier,
)
from sklearn.svm import SVC

from widemargin.bench.benchmark import Method


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


def _process(draw, _):
    if sparse.issparse(draw.X):  # it has no way with them
        return {}
    width = np.sqrt(draw.X.shape[1] * draw.X.var())
    model = GaussianProcessClassifier(RBF(width, (0.01 * width, 100 * width)))
    return draw.measure(model, supervised=True)


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
