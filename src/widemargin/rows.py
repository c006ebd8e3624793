"""Kinds of rows: one matrix, a Gram matrix, or blocks that are never joined.

A kind reads what a user passes as X, validates it, and answers whatever a fit needs of
all rows: copies and order, the width of a kernel, features, nearest neighbors. Rows
that are stored, or computed with, elsewhere are one class below `BlockRows`.
"""

from copy import copy
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from widemargin.checks import warn_of_data
from widemargin.defaults import EXACT_NEIGHBORS, SPREADS
from widemargin.graphs import index_rows
from widemargin.kernels.base import Kernel, WidthKernel
from widemargin.kernels.linear import Cosine, Linear
from widemargin.kernels.polynomial import Polynomial
from widemargin.kernels.width import MEDIAN_ROWS, merge_moments, moments
from widemargin.linalg.rows import (
    BUFFER_BYTES,
    column_ranges,
    content_keys,
    distinct_keys,
    distinct_rows,
    gram_order,
    is_rounding,
    near_origin,
    row_blocks,
    row_digests,
)
from widemargin.plugins import load_plugins, subclasses

_DIGITS = 1e4  # how many times its rounding the variance of a kernel must be


class Shared(dict):
    """Spaces and graphs that models on the same rows share; large, so never pickled."""

    def __reduce__(self):
        return Shared, ()


class Rows:
    """Rows of features: an ndarray or CSR matrix X of shape (n_rows, n_features)."""

    pairwise = in_blocks = False
    anchors = None  # or the `AnchorGraph` of far more rows, of which these are some
    shared = None  # or a `Shared` for the last Gram matrix and the graphs

    def __init__(self, X):
        self.X, self.dtype, self.n_features = X, X.dtype, X.shape[1]
        self.is_sparse = sparse.issparse(X)
        self._indexes = Shared()

    def __len__(self):
        return self.X.shape[0]

    def check(self, who, *, is_training=True):
        """Raise ValueError unless rows can be learned from, or predicted.

        `who` names them. A warning tells if rows to learn from are equal.
        """
        ranges = column_ranges(self.X)
        _check_values(ranges, self, who)
        if is_training:
            _check_spread(ranges, self, who)

    def check_spreads(self, who, names=None):
        """Warn if a few columns of a dense matrix, with `names`, make up distances."""
        if self.pairwise or self.in_blocks or self.is_sparse or len(self) < 10:
            return  # by chance, spreads in fewer rows differ tenfold
        deviations = np.sqrt(moments(self.X)[2])
        hidden_idx = find_hidden(self.X, deviations)
        if not len(hidden_idx):
            return
        large, small = deviations.argmax(), hidden_idx[deviations[hidden_idx].argmin()]
        high, low = deviations[large], deviations[small]
        if names is not None:
            large, small = repr(str(names[large])), repr(str(names[small]))
        warn_of_data(
            f"{who} has columns of very different spread: the standard deviation of "
            f"column {large} is {high:.3g} and that of column {small} {low:.3g}, a "
            f"ratio of {high / low:,.0f}, and {len(hidden_idx):,} of "
            f"{self.n_features:,} columns hardly count in distances. If units differ, "
            f"scale them: make_pipeline(StandardScaler(), {who.split()[-1]}(...))."
        )

    def check_offset(self, kernel, who):
        """Raise ValueError if inner products of the rows lose their digits."""
        if self.pairwise or not isinstance(kernel, Linear | Cosine | Polynomial):
            return
        known = self.moments()
        spread, offset = known["scale"], known["offset"]
        if 0 < spread < _DIGITS * np.finfo(self.dtype).eps * offset:
            raise ValueError(
                f"{who} with {kernel!r} must not be far from the origin: the mean row "
                f"has the squared length {offset:.1e}, rows vary by {spread:.1e}, and "
                f"inner products in {self.dtype} lose that. Subtract the means of the "
                f"columns, as in make_pipeline(StandardScaler(), {who.split()[-1]}"
                "(...)), or use kernel='rbf'."
            )

    def moments(self):
        """What widths are taken from, see `merge_moments`."""
        return merge_moments([moments(self.X)])

    def take(self, idx):
        """Some of the rows, in one matrix."""
        rows = Rows(self.X[idx])
        rows.anchors = self.anchors
        return rows

    def part(self, idx):
        """Some of the rows, of the same kind."""
        return self.take(idx)

    def blocks(self, idx=None):
        """Yield positions of some rows and their matrix, for all rows or `idx`."""
        yield slice(None), self.X if idx is None else self.X[idx]

    def evaluate(self, function):
        """Values of a function of a matrix, of a layer below, that has some per row."""
        return function(self.X)

    def kernel_columns(self, kernel, idx):
        """Kernel values between all rows and some of them, (n_rows, n_idx)."""
        return self.evaluate(partial(kernel, Z=self.take(idx).X))

    def points(self, kernel, idx):
        """What a fitted function keeps of some rows to compare new rows with."""
        return kernel.points(self.take(idx).X, slice(None))

    def content_order(self):
        """Positions in an order that depends on what the rows hold only."""
        return np.argsort(self.evaluate(content_keys), kind="stable")

    def distinct(self):
        """First position of each distinct row, and which of them each row equals."""
        return distinct_rows(self.X)

    def fit_width(self, kernel, rng, auto="scale"):
        """A kernel with a number for its width, see `Kernel.fit_width`."""
        return kernel.fit_width(self.X, rng, auto=auto)

    def index(self, kernel, n_neighbors):
        """An index for nearest neighbors in the geometry of a kernel; made once."""
        X, metric = kernel.geometry(self.X)
        if metric == "precomputed":  # distances of all samples, which nobody needs
            return index_rows(X, n_neighbors, metric)
        key = n_neighbors, None if X is self.X else kernel
        if key not in self._indexes:
            self._indexes[key] = index_rows(X, n_neighbors, metric)
        return self._indexes[key]

    def adjacency(self, graph, kernel):
        """The edges of a graph between the rows, in the geometry of a kernel."""
        X, metric = kernel.geometry(self.X)
        if self.shared is None or X is not self.X:
            return self._join(graph, kernel, X, metric)
        options = graph.get_params() | {"power": None, "normalized": None}
        key = type(graph), *options.values(), metric  # no edge depends on those two
        if key not in self.shared:
            self.shared[key] = self._join(graph, kernel, X, metric)
        return self.shared[key]

    def _join(self, graph, kernel, X, metric):
        """The edges; with an index that predictions use again if there is one."""
        n_neighbors = min(graph.n_neighbors, len(self) - 1)
        if n_neighbors < 1 or not hasattr(graph, "join"):
            return graph.adjacency(X, metric)
        nearest = self.index(kernel, n_neighbors).neighbors(n_neighbors)
        return graph.join(*nearest, self.dtype)


class GramRows(Rows):
    """Samples that are known by the Gram matrix of all of them."""

    pairwise = True

    def __init__(self, X, positions=None):
        super().__init__(X)
        # Places among the given rows, which is how a fitted function names them.
        self.positions = np.arange(len(X)) if positions is None else positions

    def check(self, who, *, is_training=True):
        """Raise ValueError unless X can be the Gram matrix of the training samples."""
        X, who = self.X, f"{who}.fit with kernel='precomputed'"
        if X.shape[0] != X.shape[1]:
            raise ValueError(
                f"{who} must be the square Gram matrix of the training samples, got "
                f"shape {X.shape}."
            )
        _check_values(column_ranges(X), self, who)
        asymmetry = float(np.abs(X - X.T).max())
        if asymmetry > 1e-4 * float(np.abs(X).max()):
            raise ValueError(
                f"{who} must be symmetric, got entries that differ by {asymmetry:g}; "
                "use (K + K.T) / 2 if the difference is rounding."
            )

    def take(self, idx):
        """The Gram matrix of some of the samples."""
        return GramRows(self.X[np.ix_(idx, idx)], self.positions[idx])

    def kernel_columns(self, kernel, idx):
        """Kernel values between all samples and some of them."""
        return kernel(self.X, idx)

    def points(self, kernel, idx):
        """Places of some samples among the rows that were given."""
        return self.positions[idx]

    def content_order(self):
        """Positions in an order that depends on what the Gram matrix holds only."""
        return gram_order(self.X)

    def distinct(self):
        """Every sample is its own: a Gram matrix names each of them."""
        every = np.arange(len(self))
        return every, every


@dataclass(frozen=True)
class Piece:
    """Some rows of one part, not read yet; it can be pickled if the part can."""

    where: np.ndarray  # positions of the rows
    part: object
    idx: object  # where they are in the part: a slice, or positions that rise strictly
    again: object  # which of those each row is, for rows that occur more than once
    dtype: np.dtype

    def read(self):
        """The matrix of the rows, in the floating type of all of them."""
        X = self.part[self.idx]
        X = (X if sparse.issparse(X) else np.asarray(X)).astype(self.dtype, copy=False)
        return X if self.again is None else X[self.again]


class BlockRows(Rows):
    """Rows in several parts, which are read block by block and never joined.

    A part is an array, a memory map, a CSR matrix or anything else with `shape` and
    `dtype` whose ``part[idx]`` reads some of its rows, see `Piece`. The order of the
    rows is a matter of positions only: sorting reads nothing.
    """

    in_blocks = True
    buffer_bytes = BUFFER_BYTES  # what is read of a part at a time

    def __init__(self, parts):
        self.parts = [p.tocsr() if sparse.issparse(p) else p for p in parts]
        if not self.parts:
            raise ValueError("X must have at least one block of rows, got none.")
        for place, part in enumerate(self.parts):
            if not isinstance(getattr(part, "dtype", None), np.dtype):
                raise TypeError(
                    f"block {place} of X must be an array, a memory map or a sparse "
                    f"matrix, got a {type(part).__name__}; use its to_numpy()."
                )
        self.is_sparse = sparse.issparse(self.parts[0])
        self.n_features = self.parts[0].shape[1]
        is_single = all(part.dtype == np.float32 for part in self.parts)
        self.dtype = np.dtype(np.float32 if is_single else np.float64)
        self._starts = np.cumsum([0, *(part.shape[0] for part in self.parts)])
        self._idx = np.arange(self._starts[-1])  # of each row among those of all parts

    @classmethod
    def reads(cls, given):
        """Whether this kind reads what a user gave: matrices in a list or tuple."""
        parts = given if isinstance(given, list | tuple) else ()
        return {len(getattr(part, "shape", ())) for part in parts} == {2}

    def __len__(self):
        return len(self._idx)

    def __str__(self):
        return f"{len(self):,} rows in {len(self.parts)} blocks"

    @property
    def X(self):
        """Refused: all rows at once are what blocks avoid."""
        raise ValueError(f"{self} have no single matrix; join them if you need one.")

    def check(self, who, *, is_training=True):
        """Raise ValueError unless the parts fit each other and hold finite values."""
        for place, part in enumerate(self.parts):
            is_like = part.shape[1] == self.n_features > 0 and part.dtype.kind in "biuf"
            if not is_like or sparse.issparse(part) != self.is_sparse:
                raise ValueError(
                    f"block {place} of {who} must hold numbers in {self.n_features} "
                    f"columns, all blocks dense or all sparse, got {part.dtype} in a "
                    f"{type(part).__name__} of shape {part.shape}."
                )
        if not len(self):
            raise ValueError(f"{who} must have at least one row, got {self}.")
        low, high = np.full((2, self.n_features), [[np.inf], [-np.inf]], self.dtype)
        for where, ranges in self.map(column_ranges):
            place = np.searchsorted(self._starts, self._idx[where[0]], "right") - 1
            _check_values(ranges, self, f"block {place} of {who}")
            low, high = np.minimum(low, ranges[0]), np.maximum(high, ranges[1])
        if is_training:
            _check_spread((low, high), self, who)

    def pieces(self):
        """Yield a `Piece` for each few rows of a part; an empty one for no rows."""
        order = np.argsort(self._idx, kind="stable")
        stored = self._idx[order]
        bounds = np.searchsorted(stored, self._starts)
        for place, part in enumerate(self.parts):
            first, last = bounds[place : place + 2]
            size = self.n_features * self.dtype.itemsize  # bytes per row
            if hasattr(part, "nnz"):  # a sparse row has values and their columns
                size = part.nnz / max(1, part.shape[0]) * (self.dtype.itemsize + 8)
            for own in row_blocks(last - first, size, 1, self.buffer_bytes):
                some = slice(first + own.start, first + own.stop)
                idx, again = np.unique(stored[some], return_inverse=True)
                again = again if len(idx) < len(again) else None
                idx -= self._starts[place]
                if idx[-1] - idx[0] < len(idx):  # which is read without a copy
                    idx = slice(idx[0], idx[-1] + 1)
                yield Piece(order[some], part, idx, again, self.dtype)
        if not len(self):
            yield Piece(order, self.parts[0], slice(0), None, self.dtype)

    def blocks(self, idx=None):
        """Yield positions of some rows and their matrix, for all rows or `idx`."""
        for piece in (self if idx is None else self.part(idx)).pieces():
            yield piece.where, piece.read()

    def map(self, function):
        """Yield positions of some rows and a function of their matrix, for all rows.

        What a fit computes from all rows is computed here. A backend that computes
        where its parts are replaces this method: `function` can be pickled.
        """
        for where, X in self.blocks():
            yield where, function(X)

    def part(self, idx):
        """Some of the rows, of the same kind; nothing is read."""
        rows = copy(self)
        rows._idx = self._idx[idx]
        return rows

    def take(self, idx):
        """Some of the rows, in one matrix."""
        places, found = zip(*self.blocks(idx), strict=True)
        stack = sparse.vstack if sparse.issparse(found[0]) else np.vstack
        rows = Rows(stack(found)[np.argsort(np.concatenate(places))])
        rows.anchors = self.anchors
        return rows

    def evaluate(self, function):
        """Values of a function of a matrix, of a layer below, that has some per row."""
        return scatter(self.map(function), len(self))

    def moments(self):
        """What widths are taken from, see `merge_moments`."""
        return merge_moments([found for _, found in self.map(moments)])

    def distinct(self):
        """First position of each distinct row, and which of them each row equals."""
        return distinct_keys(self.evaluate(row_digests))

    def fit_width(self, kernel, rng, auto="scale"):
        """A kernel with a number for its width, from moments or a draw of the rows."""
        fit, idx = type(kernel).fit_width, slice(None)
        rule = None if fit is Kernel.fit_width else "own"
        if fit is WidthKernel.fit_width:
            rule = auto if kernel.gamma == "auto" else kernel.gamma
        if not isinstance(rule, str):
            return kernel
        if rule in ("scale", "mean"):
            return kernel.fit_width(self.moments(), rng, auto=auto)
        if len(self) > MEDIAN_ROWS:
            idx = rng.choice(len(self), MEDIAN_ROWS, replace=False)
        return kernel.fit_width(self.take(idx).X, rng, auto=auto)

    def adjacency(self, graph, kernel):
        """The edges of a graph of nearest neighbors, found block against block.

        That takes quadratic time: many rows are gathered in one matrix for an index.
        """
        if not hasattr(graph, "join"):
            raise ValueError(f"{graph!r} needs {self} in one matrix; join them.")
        if len(self) > EXACT_NEIGHBORS.rows:
            return self.take(slice(None)).adjacency(graph, kernel)
        n_neighbors = min(graph.n_neighbors, len(self) - 1)
        lengths = np.empty((len(self), n_neighbors))
        neighbors = np.empty(lengths.shape, dtype=np.intp)
        for own_idx, X in self.blocks():
            best = np.empty((2, len(own_idx), 0))
            search = partial(_find_nearest, kernel, X, n_neighbors + 1)
            for where, (far, near) in self.map(search):
                near = where[near]
                far[near == own_idx[:, None]] = np.inf  # a row and itself
                best = np.concatenate([best, [far, near]], axis=2)
                order = np.argsort(best[0], axis=1, kind="stable")[:, :n_neighbors]
                best = np.take_along_axis(best, order[None], axis=2)
            lengths[own_idx], neighbors[own_idx] = best
        return graph.join(lengths, neighbors, self.dtype)


def find_hidden(X, deviations):
    """Columns of a matrix that hardly count in distances because others are large.

    Those are many columns that hold nearly no variance together, below a gap: sorted
    deviations of pixels or of principal components fall without one. Columns that hold
    rounding, or mostly the same value, are not listed.
    """
    # Rounding is not relative to the largest column: dates may be in nanoseconds.
    rounding = 1e-9 * min(1.0, deviations.max())
    n_varying = np.count_nonzero(deviations > rounding)
    order = np.argsort(-deviations, kind="stable")[:n_varying]
    found = deviations[order]
    shares = np.cumsum((found / deviations.max()) ** 2)
    is_split = found[:-1] >= SPREADS.gap * found[1:]
    is_split &= shares[:-1] >= (1.0 - SPREADS.variance) * shares[-1:]
    is_split &= np.arange(n_varying)[:0:-1] >= SPREADS.columns * n_varying
    if not is_split.any():
        return order[:0]
    hidden_idx = np.sort(order[is_split.argmax() + 1 :])
    hidden = X[:, hidden_idx]
    varies = deviations[hidden_idx] > 1e-6 * np.abs(hidden.mean(axis=0))  # of float32
    varies &= (hidden == np.median(hidden, axis=0)).mean(axis=0) < SPREADS.same
    return hidden_idx[varies]


def find_kind(given):
    """The kind of rows in blocks that reads what a user gave; None for a matrix."""
    if isinstance(given, np.ndarray) or sparse.issparse(given):
        return None
    load_plugins()
    # Subclasses first: what they read may be a list, which the base class also reads.
    kinds = [k for k in (BlockRows, *subclasses(BlockRows)) if "reads" in vars(k)]
    return next((kind for kind in reversed(kinds) if kind.reads(given)), None)


def scatter(pieces, n_rows):
    """The array that has the values of each piece at its positions."""
    values = None
    for where, found in pieces:
        if values is None:
            values = np.empty((n_rows, *found.shape[1:]), dtype=found.dtype)
        values[where] = found
    return values


def _find_nearest(kernel, queries, n_neighbors, X):
    """Lengths from some points to the nearest rows of X, and their positions."""
    data, metric = kernel.geometry(X)
    n_neighbors = min(n_neighbors, X.shape[0])
    queries, data = near_origin(kernel.geometry(queries)[0], data)
    finder = NearestNeighbors(n_neighbors=n_neighbors, metric=metric).fit(data)
    return finder.kneighbors(queries)


def _check_values(ranges, rows, who):
    """Raise ValueError unless values of rows, and their squares, are finite."""
    low, high = ranges
    largest = float(max(high.max(initial=0.0), -low.min(initial=0.0)))
    if not np.isfinite(largest):
        raise ValueError(
            f"{who} holds NaN or infinity; fill in or leave out missing values."
        )
    if largest > np.sqrt(float(np.finfo(rows.dtype).max) / (4.0 * rows.n_features)):
        raise ValueError(
            f"{who} holds values up to {largest:.1e}, whose squares are too large for "
            f"{rows.dtype}; rescale X."
        )


def _check_spread(ranges, rows, who):
    """Raise ValueError if rows differ by too little for squares; warn if by nothing."""
    (low, high), info = ranges, np.finfo(rows.dtype)
    widest, largest = float((high - low).max()), float(np.abs(ranges).max())
    # Distances that are smaller than the largest by all digits still have a square.
    if 0 < widest < np.sqrt(float(info.tiny) / float(info.eps)):
        raise ValueError(
            f"{who} holds columns that vary by at most {widest:.1e}, and squares are "
            f"too small for {rows.dtype}; rescale X."
        )
    # Equal rows of moderate values are what the user means.
    may_be_lost = widest > 0 or largest * info.eps > 1e-3
    if len(rows) > 1 and may_be_lost and is_rounding(low, high).all():
        warn_of_data(
            f"{who} holds equal rows: no column varies by more than {widest:.3g}, "
            f"which is rounding in {rows.dtype} with values up to {largest:.3g}, and "
            "classes cannot be told apart. If X has an offset, such as that of a date, "
            "subtract it before X is converted to single precision."
        )
