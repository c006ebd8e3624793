"""Laplacian support vector classifier."""

from widemargin.estimators._laplacian_machine import LaplacianMachine
from widemargin.objectives.losses import SquaredHinge


class LaplacianSVC(LaplacianMachine):
    """Laplacian support vector classifier."""

    _loss = SquaredHinge()
    _solvers = ("newton", "pcg", "dual")
