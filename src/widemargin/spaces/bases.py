"""Functions that closed-form models are made of.

With few labels a model needs its prior covariance between the labels, and the functions
that belong to coefficients of the labels. Models over the same basis differ only in the
variances of its members, so that their average is again one function over it.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from widemargin.defaults import (
    COMPONENT_ROWS,
    LEAST_COMPONENTS,
    SPECTRAL_GRID,
    SPECTRUM_LADDER,
    SPECTRUM_VALUES,
)
from widemargin.graphs import Anchors, ExactIndex, graph_laplacian
from widemargin.kernels import Kernel, Linear, Nystrom
from widemargin.linalg.rows import row_blocks
from widemargin.progress import counter
from widemargin.rows import Rows
from widemargin.spaces import spectrum as spectra
from widemargin.spaces.choose import choose_space
from widemargin.spaces.features import FeatureSpace
from widemargin.spaces.function import Function, NeighborFunction

COLUMN_BYTES = 2**28  # of kernel values that a basis keeps for the next labels


@dataclass(frozen=True)
class Covariance:
    """A prior covariance: shares of bases, each with variances of its members."""

    name: str
    family: str
    terms: tuple  # triples of a share, the name of a basis and variances or None
    needs_labels: bool = False  # hardly counts while no label can be held out


class KernelColumns:
    """Kernel values between all rows and labeled ones, kept for the next labels."""

    def __init__(self):
        self.idx, self.values = np.zeros(0, dtype=np.intp), None

    def include(self, kernel, rows, label_idx):
        """Compute the values of rows that were not labeled before."""
        if len(self.idx) > 2 * len(label_idx):  # most are no longer labeled
            self.idx, self.values = self.idx[:0], None
        new_idx, n_known = np.setdiff1d(label_idx, self.idx), len(self.idx)
        n_all = n_known + len(new_idx)
        if not len(new_idx):
            return
        found = rows.kernel_columns(kernel, new_idx).T
        if self.values is None or len(self.values) < n_all:
            # Room for a quarter more, so that single labels seldom copy all values.
            grown = np.empty((n_all + n_all // 4, len(rows)), dtype=found.dtype)
            grown[:n_known] = 0.0 if self.values is None else self.values[:n_known]
            self.values = grown
        self.values[n_known:n_all] = found
        self.idx = np.append(self.idx, new_idx)  # last: an interrupt changes nothing

    def product(self, label_idx, coef):
        """Values of all rows and the labeled ones times coefficients of these."""
        order = np.argsort(self.idx)
        places = order[np.searchsorted(self.idx, label_idx, sorter=order)]
        total = np.zeros((len(self.idx), coef.shape[1]))
        np.add.at(total, places, coef)  # a row may have two labels
        return self.values[: len(self.idx)].T @ total


@dataclass(frozen=True)
class LabelBasis:
    """The kernel functions of the labeled rows; it has no variances to choose.

    The kernel is scaled so that the scores of the labels have a mean variance of one.
    """

    kernel: Kernel
    rows: Rows
    columns: KernelColumns = field(
        default_factory=KernelColumns, repr=False, compare=False
    )

    def covariances(self, name, grid):
        """The prior covariance over this basis, whose name is given."""
        return [Covariance(name, "labels", ((1.0, name, None),))]

    def covariance(self, label_idx, variances=None, row_idx=None):
        """Prior covariance between the labels, or between some rows and the labels."""
        X = self.rows.take(label_idx).X
        if row_idx is None:
            gram = self.kernel(X)
        else:
            gram = self.kernel(self.rows.take(row_idx).X, X)
        return gram.astype(np.float64, copy=False) / self._scale(X)

    def coordinates(self, label_idx, variances, coef):
        """Coordinates of the functions with coefficients of the labels."""
        return coef / self._scale(self.rows.take(label_idx).X)

    def _scale(self, X):
        diagonal = self.kernel.diagonal(X)
        return max(float(diagonal.mean(dtype=np.float64)), 0.0) or 1.0

    def scores(self, label_idx, coordinates):
        """Scores of all rows; values of rows that were labeled before are known."""
        if len(self.rows) * len(label_idx) * 8 > COLUMN_BYTES:
            return self.rows.evaluate(self.to_function(label_idx, coordinates))
        self.columns.include(self.kernel, self.rows, label_idx)
        return self.columns.product(label_idx, coordinates)

    def to_function(self, label_idx, coordinates, scores=None):
        """The functions, for a fitted model."""
        points = self.rows.points(self.kernel, label_idx)
        return Function(
            self.kernel, points, coordinates, np.zeros(coordinates.shape[1])
        )


@dataclass(frozen=True)
class SpectralBasis:
    """Eigenvectors of a graph or a kernel over all rows.

    A covariance gives each of them a variance; it is scaled so that the scores have a
    mean variance of one.
    """

    spectrum: spectra.Spectrum

    def covariance(self, label_idx, variances, row_idx=None):
        """Prior covariance between the labels, or between some rows and the labels."""
        vectors = self.spectrum.vectors[label_idx]
        rows = vectors if row_idx is None else self.spectrum.vectors[row_idx]
        return (rows * self._unit(variances)) @ vectors.T

    def coordinates(self, label_idx, variances, coef):
        """Coordinates of the functions with coefficients of the labels."""
        vectors = self.spectrum.vectors[label_idx]
        return self._unit(variances)[:, None] * (vectors.T @ coef)

    def scores(self, label_idx, coordinates):
        """Scores of all rows."""
        return self.spectrum.product(coordinates)

    def features(self, variances, row_idx=slice(None)):
        """Features of rows whose inner products are the covariance."""
        return self.spectrum.vectors[row_idx] * np.sqrt(self._unit(variances))

    def _unit(self, variances):
        return variances / (float(self.spectrum.mean_squares @ variances) or 1.0)


@dataclass(frozen=True)
class KernelBasis(SpectralBasis):
    """Principal components of a kernel, by the features of a space."""

    space: FeatureSpace
    loadings: np.ndarray
    means: np.ndarray

    def covariances(self, name, grid):
        """The prior covariances over this basis, one for each transfer function."""
        values = self.spectrum.values
        return [
            Covariance(f"{name}, {one.title}", "spectrum", ((1.0, name, one(values)),))
            for one in spectra.Transfer.listed("kernel", self.spectrum, grid)
        ]

    @classmethod
    def fit(cls, space, weights, n_vectors):
        """The leading components of a space of features over the rows."""
        spectrum, loadings, means = spectra.feature_spectrum(space, weights, n_vectors)
        return cls(spectrum, space, loadings, means)

    def extended(self, rows):
        """The components on other rows, in single precision, block by block."""
        mapping, shift = self.space.embedding(), self.means @ self.loadings
        vectors = np.empty((len(rows), len(shift)), dtype=np.float32)
        mapping, axes = mapping.before(self.loadings)
        n_blocks = len(list(row_blocks(len(rows), self.space.n_coordinates, 8)))
        step = counter("components", 2 * n_blocks)  # of rows and of the kernel
        for where, X in rows.blocks():
            idx = np.arange(len(rows))[where]
            for block in row_blocks(len(idx), self.space.n_coordinates, 8):
                vectors[idx[block]] = mapping(X[block]) @ axes - shift
                step()
        return replace(self, spectrum=spectra.Spectrum(self.spectrum.values, vectors))

    def to_function(self, label_idx, coordinates, scores=None, constant=0.0):
        """The functions, for a fitted model."""
        weights = self.loadings @ coordinates
        return self.space.to_function(weights, constant - self.means @ weights)

    @property
    def lengths(self):
        """Lengths of the components for which rows have a mean squared length of one.

        Coordinates in components of these lengths are those of `to_function` after a
        product with them.
        """
        return np.sqrt(self._unit(self.spectrum.values))


@dataclass(frozen=True)
class GraphBasis(SpectralBasis):
    """The smoothest functions along a graph; new rows get means over neighbors."""

    kernel: Kernel
    rows: Rows
    n_neighbors: int

    def covariances(self, name, grid):
        """The prior covariances of the graph, alone and in sums with the kernel."""
        listed = []
        for transfer in spectra.Transfer.listed("graph", self.spectrum, grid):
            variances = transfer(self.spectrum.values)
            title, is_local = f"graph, {transfer.title}", transfer.is_local(grid)
            for share in grid.graph_shares:
                terms = [(share, name, variances)]
                terms += [(1.0 - share, "kernel", None)] if share < 1 else []
                needs_labels = is_local or share < grid.single_share
                own = f"{title}, share {share:g}"
                listed.append(Covariance(own, "graph", tuple(terms), needs_labels))
        return listed

    def to_function(self, label_idx, coordinates, scores):
        """The functions, for a fitted model, which keeps the scores of all rows."""
        index = None if self.rows.in_blocks else self._index
        return NeighborFunction(
            self.kernel, self.points, scores, self.n_neighbors, index
        )

    @property
    def _index(self):
        """The index of many rows by which the graph was joined."""
        n_neighbors = min(self.n_neighbors, len(self.rows) - 1)
        index = self.rows.index(self.kernel, n_neighbors)
        return None if isinstance(index, ExactIndex) else index

    @cached_property
    def points(self):
        """The rows in one matrix, which new rows are compared with."""
        return self.rows.take(slice(None)).X


@dataclass(frozen=True)
class AnchorBasis(GraphBasis):
    """The smoothest functions along a graph of anchors, which all rows have made.

    The rows here are some of these rows; the scale of the functions is that of all.
    """

    anchors: Anchors
    anchor_vectors: np.ndarray  # (n_anchors, m), of which rows get means
    mean_squares: np.ndarray  # of the entries of each vector over all rows

    @classmethod
    def fit(cls, rows, kernel, n_components):
        """The basis of rows that belong to a graph of anchors."""
        graph, anchors = rows.anchors, rows.anchors.anchors
        laplacian = graph_laplacian(graph.edges).matrix
        found = spectra.graph_spectrum(laplacian, n_components, graph.degrees)
        vectors = found.vectors / np.sqrt(graph.degrees)[:, None]
        squares = np.einsum("ij,ij->j", vectors, graph.edges @ vectors) / graph.n_rows
        own = spectra.Spectrum(found.values, anchors.weights(rows.X) @ vectors)
        options = kernel, rows, anchors.n_neighbors, anchors, vectors, squares
        return cls(own, *options)

    def to_function(self, label_idx, coordinates, scores):
        """The functions, for a fitted model, which keeps values of the anchors."""
        values = self.anchor_vectors @ coordinates
        return NeighborFunction(
            self.kernel,
            self.anchors.points,
            values,
            self.n_neighbors,
            are_means=True,
        )

    def _unit(self, variances):
        return variances / (float(self.mean_squares @ variances) or 1.0)


def make_bases(
    kernel, graph, rows, families, n_components, rng, *,
    adjacency=None, grid=SPECTRAL_GRID,
):  # fmt: skip
    """The bases of some families by name: kernels of labels, a graph, components.

    They depend on the rows alone, each of which counts once, so that they stay the same
    when labels are added, and when a label is given more weight than others.
    """
    linear, few = Linear(), Nystrom(SPECTRUM_LADDER.n_landmarks, "uniform")
    kernel = rows.fit_width(kernel, rng)
    n_components = limit_components(n_components, len(rows))
    bases = {"kernel": LabelBasis(kernel, rows)}
    if "labels" in families and hasattr(kernel, "gamma"):
        for width in grid.widths:
            wide = replace(kernel, gamma=float(kernel.gamma * width))
            name = "kernel" if width == 1 else f"kernel, width {width:g}"
            bases[name] = LabelBasis(wide, rows)
    if len(rows) < 3:
        return bases
    if "graph" in families and rows.anchors is not None:
        bases["graph"] = AnchorBasis.fit(rows, kernel, n_components)
    elif "graph" in families:
        if adjacency is None:
            adjacency = rows.adjacency(graph, kernel)
        bases["graph"] = graph_basis(rows, kernel, graph, adjacency, n_components)
    if "spectrum" in families:
        choices = {"linear": (linear, "auto")}
        if kernel != linear:
            choices["kernel components"] = kernel, few
        some = rows
        if len(rows) > COMPONENT_ROWS:
            drawn = rng.choice(len(rows), COMPONENT_ROWS, replace=False)
            some = rows.take(np.sort(drawn))
        for name, (of, landmarks) in choices.items():
            space = choose_space(
                of, some, landmarks, rng, ladder=SPECTRUM_LADDER, who=name
            )
            found = KernelBasis.fit(space, np.ones(len(some)), n_components)
            bases[name] = found if some is rows else found.extended(rows)
    return bases


def limit_components(n_components, n_rows):
    """How many eigenvectors of so many rows memory allows."""
    return min(n_components, max(SPECTRUM_VALUES // max(n_rows, 1), LEAST_COMPONENTS))


def graph_basis(rows, kernel, graph, adjacency, n_components):
    """The smoothest functions along given edges between the rows."""
    laplacian = graph.laplacian_of(adjacency, auto_power=1, normalized=True)
    degrees = np.asarray(adjacency.sum(axis=1), dtype=np.float64).ravel()
    spectrum = spectra.graph_spectrum(laplacian.matrix, n_components, degrees)
    return GraphBasis(spectrum, kernel, rows, graph.n_neighbors)


def label_grams(covariances, bases, label_idx, row_idx=None):
    """Yield each prior covariance between the labels; terms are computed once.

    If rows are given, those between these and the labels.
    """
    known = {}
    for covariance in covariances:
        total = 0.0
        for share, name, variances in covariance.terms:
            # Arrays cannot be keys; these live as long as the covariances.
            key = name, id(variances)
            if key not in known:
                known[key] = bases[name].covariance(label_idx, variances, row_idx)
            total = total + share * known[key]
        yield total


def spectral_features(covariance, bases, row_idx=slice(None)):
    """Features of the first term of a covariance, which must have variances."""
    _, name, variances = covariance.terms[0]
    return bases[name].features(variances, row_idx)


def list_covariances(bases, families, *, grid=SPECTRAL_GRID):
    """All prior covariances of some families over bases by name."""
    listed = [c for name, basis in bases.items() for c in basis.covariances(name, grid)]
    # Graphs and components need three rows.
    return [c for c in listed if c.family in families] or listed
