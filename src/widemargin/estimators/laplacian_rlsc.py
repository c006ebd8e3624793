"""Laplacian regularized least-squares classifier."""

from widemargin.estimators._laplacian_machine import LaplacianMachine
from widemargin.objectives.losses import Squared


class LaplacianRLSC(LaplacianMachine):
    """Laplacian regularized least-squares classifier."""

    _loss = Squared()
