import numpy as np
import pytest
from numpy.testing import assert_allclose

from widemargin.estimators._cluster_choice import Cell
from widemargin.estimators._cluster_machine import NeighborGraph, make_machine
from widemargin.graphs import graph_laplacian, knn_adjacency
from widemargin.kernels import FullBasis, Linear, WeightBasis
from widemargin.smoothers import FeatureSpace, KernelSpace


@pytest.mark.parametrize("intrinsic_reg", [0.3, "auto", 0])
def test_weights_are_relative_to_the_kernel_and_to_the_samples(X, intrinsic_reg):
    """The smoother of loss + ambient_reg * scale |f|^2 + weight * f'L^2 f."""
    gram, weights = X @ X.T + np.eye(30), np.full(30, 1 / 30)
    graph = NeighborGraph(5, "binary", intrinsic_reg)
    cell = Cell(2, Linear(), 0.1)
    machine = make_machine(cell, graph, KernelSpace(gram), FullBasis(30), X)
    laplacian = graph_laplacian(
        knn_adjacency(X, 5, "binary"), normalized=False, power=2
    ).to_dense()
    weight = 10 / 30 if intrinsic_reg == "auto" else intrinsic_reg
    matrix = gram / 30 + 0.1 * np.diagonal(gram).mean() * np.eye(30)
    R = gram @ np.linalg.inv(matrix + weight * laplacian @ gram) / 30
    assert graph.counts == (intrinsic_reg != 0)
    assert_allclose(machine.smoother(weights) @ np.eye(30), R, atol=1e-8)


@pytest.mark.parametrize("intrinsic_reg", ["auto", 0])
def test_part_is_the_machine_of_these_samples(X, intrinsic_reg):
    graph, rows = NeighborGraph(5, "binary", intrinsic_reg), np.arange(3, 25)
    cell, weights = Cell(1, Linear(), 0.1), np.full(22, 1 / 22)
    whole = make_machine(cell, graph, FeatureSpace(X), WeightBasis(), X)
    alone = make_machine(cell, graph, FeatureSpace(X[rows]), WeightBasis(), X[rows])
    part = whole.part(rows, X[rows])
    Y = np.eye(22)
    assert part.scale == alone.scale
    assert_allclose(part.smoother(weights) @ Y, alone.smoother(weights) @ Y)
