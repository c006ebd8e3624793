"""Neighborhood graphs of the samples and their Laplacians."""

from widemargin.graphs.knn import Graph, KnnGraph
from widemargin.graphs.laplacian import IteratedLaplacian, graph_laplacian, no_laplacian
from widemargin.graphs.neighbors import check_adjacency, knn_adjacency
from widemargin.graphs.reach import rows_near, unreached_components

__all__ = [
    "Graph",
    "IteratedLaplacian",
    "KnnGraph",
    "check_adjacency",
    "graph_laplacian",
    "knn_adjacency",
    "no_laplacian",
    "rows_near",
    "unreached_components",
]
