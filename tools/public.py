"""The public estimators of a source tree, and how the tools fit them."""

import inspect

from sklearn.base import BaseEstimator, ClusterMixin


def is_estimator(value) -> bool:
    """Whether `value` is a class that scikit-learn could fit."""
    return (
        inspect.isclass(value)
        and issubclass(value, BaseEstimator)
        and hasattr(value, "fit")
    )


def public_estimators(package) -> dict[str, type]:
    """Classes in ``package.__all__`` that can be fitted, by name."""
    values = {name: getattr(package, name) for name in package.__all__}
    return {name: value for name, value in values.items() if is_estimator(value)}


def default_model(estimator: type, n_classes: int):
    """A model with default settings; one that clusters is told the number of classes.

    UniversumSVC needs nothing more: by default every unlabeled row is universum.
    """
    allowed = inspect.signature(estimator).parameters
    settings = {"n_clusters": n_classes, "random_state": 0}
    return estimator(**{key: settings[key] for key in settings if key in allowed})


def fit_default(estimator: type, X, y, n_classes: int):
    """Build the default model and fit it, without labels if it is a clustering."""
    arguments = (X,) if issubclass(estimator, ClusterMixin) else (X, y)
    return default_model(estimator, n_classes).fit(*arguments)
