"""Neighborhood graphs of the samples and their Laplacians."""

from widemargin.graphs.laplacian import IteratedLaplacian, graph_laplacian, no_laplacian
from widemargin.graphs.neighbors import check_adjacency, knn_adjacency
from widemargin.graphs.reach import unreached_components

__all__ = [
    "IteratedLaplacian",
    "check_adjacency",
    "graph_laplacian",
    "knn_adjacency",
    "no_laplacian",
    "unreached_components",
]
