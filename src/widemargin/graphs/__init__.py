"""Neighborhood graphs of the samples and their Laplacians."""

from widemargin.graphs.adjacency import check_adjacency, rows_near, unreached_components
from widemargin.graphs.anchors import AnchorGraph, Anchors, find_anchors
from widemargin.graphs.base import Graph
from widemargin.graphs.knn import KnnGraph, knn_adjacency
from widemargin.graphs.laplacian import (
    IteratedLaplacian,
    graph_laplacian,
    no_laplacian,
    spectral_dimension,
)
from widemargin.graphs.neighbors import (
    ExactIndex,
    NearestPoints,
    index_rows,
    neighbor_weights,
)
from widemargin.graphs.transformer import TransformerGraph

__all__ = [
    "AnchorGraph",
    "Anchors",
    "ExactIndex",
    "Graph",
    "IteratedLaplacian",
    "KnnGraph",
    "NearestPoints",
    "TransformerGraph",
    "check_adjacency",
    "find_anchors",
    "graph_laplacian",
    "index_rows",
    "knn_adjacency",
    "neighbor_weights",
    "no_laplacian",
    "rows_near",
    "spectral_dimension",
    "unreached_components",
]
