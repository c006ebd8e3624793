"""Laplacian support vector classifier."""

from widemargin.estimators._laplacian_machine import LaplacianMachine
from widemargin.objectives.losses import Hinge, SquaredHinge


class LaplacianSVC(LaplacianMachine):
    """Laplacian support vector classifier."""

    _losses = {"newton": SquaredHinge(), "pcg": SquaredHinge(), "dual": Hinge()}
