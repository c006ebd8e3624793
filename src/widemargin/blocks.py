"""Rows that do not fit into memory: blocks of rows and labels, read when needed.

A fit on blocks reads them twice. The first time it checks all values and gathers the
labels and a draw of the rows; the second time each block adds what its rows contribute
to a graph between anchors. All that is gathered is small, whatever the number of rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from numbers import Integral
from operator import add
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from widemargin.checks import name_package
from widemargin.defaults import ANCHORS, GATHERED_ROWS
from widemargin.graphs import AnchorGraph, find_anchors
from widemargin.labels import hide, known_names, labeled_mask, read_labels
from widemargin.progress import paused, tell_rows
from widemargin.rows import Rows

BLOCK_ROWS = 2**16  # of memory maps and Parquet files, unless their groups are smaller


class Block(NamedTuple):
    """Some rows and their labels."""

    X: Any  # an array or a data frame
    y: Any  # None if there are none
    start: int  # position of the first row among all rows
    name: str  # in messages


class Blocks:
    """Rows and labels that are read block by block, as often as they are needed.

    A subclass has these attributes and yields a `Block` for each few rows. Where blocks
    can be computed elsewhere, it replaces `total`.
    """

    n_rows: int
    n_features: int
    dtype: np.dtype  # float32 or float64, which rows are converted to
    feature_names: Sequence[str] | None = None

    def __iter__(self):
        raise NotImplementedError

    def __len__(self):
        return self.n_rows

    def total(self, function, shared, say=None):
        """The sum of ``function(block, shared)`` over all blocks."""
        return reduce(add, self._run(function, shared, say))

    def _run(self, function, shared, say):
        tell, n_done = tell_rows(self.n_rows, say), 0
        for block in self:
            yield function(block, shared)
            n_done += block.X.shape[0]
            tell(n_done)

    def transformed(self, transformer):
        """The same rows after a transformer, such as ``StandardScaler()``.

        If it is not fitted yet, a copy learns from all blocks by its `partial_fit`, as
        `StandardScaler`, `MaxAbsScaler` and `IncrementalPCA` have it. The result is
        again blocks of rows, and its `transformer` is what new rows need.

        Examples
        --------
        >>> from sklearn.preprocessing import StandardScaler
        >>> from widemargin.blocks import ArrayBlocks
        >>> blocks = ArrayBlocks(np.array([[1.0], [3.0]])).transformed(StandardScaler())
        >>> next(iter(blocks)).X.ravel().tolist()
        [-1.0, 1.0]
        """
        return TransformedBlocks(self, _fit_in_batches(transformer, self))


class ArrayBlocks(Blocks):
    """Rows of an array that is read in slices, such as a memory map.

    Parameters
    ----------
    X : array of shape (n_samples, n_features), data frame or path
        A memory map, ``np.load("X.npy", mmap_mode="r")``, or anything else with
        `shape`, `dtype` and slices of rows; the path of an ``.npy`` file is opened so.
    y : array-like of shape (n_samples,), optional
        Labels, with -1, NaN or None for unlabeled rows.
    block_rows : int, default=65536
        Rows that are read at a time.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from widemargin import FewLabelClassifier
    >>> from widemargin.blocks import ArrayBlocks
    >>> from widemargin.datasets import hide_labels
    >>> X, y = load_digits(return_X_y=True)
    >>> X, y = X[:300], y[:300]
    >>> blocks = ArrayBlocks(X, hide_labels(y, 50, rng=0), block_rows=100)
    >>> model = FewLabelClassifier(random_state=0).fit(blocks)
    >>> predicted = np.concatenate([model.predict(block.X) for block in blocks])
    >>> bool((predicted == y).mean() > 0.9)
    True
    """

    def __init__(self, X, y=None, block_rows=BLOCK_ROWS):
        X = np.load(X, mmap_mode="r") if isinstance(X, str | Path) else X
        _refuse_sparse(X, "X of ArrayBlocks")
        if len(getattr(X, "shape", ())) != 2:
            raise ValueError(
                "X of ArrayBlocks must be an array of rows, a memory map or the path "
                f"of an .npy file, got a {type(X).__name__} of shape "
                f"{getattr(X, 'shape', 'unknown')}."
            )
        if y is not None and len(y) != X.shape[0]:
            raise ValueError(
                f"y of ArrayBlocks must have an entry for each of {X.shape[0]:,} rows, "
                f"got {len(y):,}; mark unlabeled rows with -1, NaN or None."
            )
        self.X, self.y, self.block_rows = X, y, _check_block_rows(block_rows)
        self.n_rows, self.n_features = X.shape
        is_frame = hasattr(X, "iloc")
        if is_frame and all(isinstance(name, str) for name in X.columns):
            self.feature_names = list(X.columns)
        types = list(X.dtypes) if is_frame else [X.dtype]
        self.dtype = find_dtype(types, "X of ArrayBlocks")

    def __iter__(self):
        for place, start in enumerate(range(0, self.n_rows, self.block_rows)):
            some = slice(start, start + self.block_rows)
            y = None if self.y is None else getattr(self.y, "iloc", self.y)[some]
            is_frame = hasattr(self.X, "iloc")
            X = self.X.iloc[some] if is_frame else np.asarray(self.X[some])
            yield Block(X, y, start, f"block {place} of X")


class ParquetBlocks(Blocks):
    """Rows of a Parquet file, or of all Parquet files in a folder, sorted by name.

    It needs ``pip install pyarrow``. Blocks are data frames.

    Parameters
    ----------
    path : str or path
        A file, or a folder with files that end in ``.parquet``, also in its folders.
    target : str, optional
        Column of the labels; a missing value marks an unlabeled row, as does -1 among
        integers.
    columns : sequence of str, optional
        Columns that are features; by default all but the target.
    block_rows : int, default=65536
        Rows that are read at a time.

    Examples
    --------
    >>> from widemargin import FewLabelClassifier
    >>> from widemargin.blocks import ParquetBlocks
    >>> blocks = ParquetBlocks("folder", target="y")  # doctest: +SKIP
    >>> model = FewLabelClassifier().fit(blocks)  # doctest: +SKIP
    """

    def __init__(self, path, target=None, columns=None, block_rows=BLOCK_ROWS):
        self.files, self.path, self.target = list_parquet(path), path, target
        self.block_rows = _check_block_rows(block_rows)
        opened = [_open_parquet(file) for file in self.files]
        self.sizes = [file.metadata.num_rows for file in opened]
        self.n_rows = sum(self.sizes)
        schema = opened[0].schema_arrow
        given = [name for name in schema.names if name != target]
        self.feature_names = given if columns is None else list(columns)
        self._names = [*self.feature_names, *([] if target is None else [target])]
        self.n_features = len(self.feature_names)
        if not self.n_features:
            raise ValueError(f"{path} has no columns besides the target {target!r}.")
        schemas = [file.schema_arrow for file in opened]
        found = _find_types(self.files, schemas, self._names)
        self._types = {name: found[name] for name in self.feature_names}

    @property
    def dtype(self):
        """The floating type of the rows; ValueError if a column holds no numbers."""
        for name, own in self._types.items():
            if not _is_number(own):
                raise ValueError(
                    f"Column {name!r} of {self.path} must hold numbers, got {own}; "
                    "leave it out by `columns`, or fit a TableEncoder on some rows and "
                    "pass blocks.transformed(encoder). widemargin fit does that."
                )
        is_single = all(str(own) == "float" for own in self._types.values())
        return np.dtype(np.float32 if is_single else np.float64)

    def __iter__(self):
        start = 0
        for file in self.files:
            parts = _open_parquet(file).iter_batches(
                self.block_rows, columns=self._names
            )
            for part in parts:
                frame = part.to_pandas()[self._names]  # columns in this order
                # Where a file has no value of a number, its column is one of objects.
                empty = [n for n in self.feature_names if _is_null(part, n)]
                numbers = [n for n in empty if _is_number(self._types[n])]
                frame = frame.astype(dict.fromkeys(numbers, np.float64))
                y = None if self.target is None else frame.pop(self.target)
                yield Block(frame, y, start, f"{file}, from row {start:,} of all,")
                start += len(frame)


@dataclass
class TransformedBlocks(Blocks):
    """Blocks of rows after a fitted transformer, see `Blocks.transformed`."""

    blocks: Blocks
    transformer: object

    def __post_init__(self):
        self.n_rows = self.blocks.n_rows
        first = next((block.X for block in self.blocks if block.X.shape[0]), None)
        if first is None:
            raise ValueError("X must have at least one row, got none.")
        found = self.transformer.transform(first[:2])
        who = f"X after {type(self.transformer).__name__}"
        _refuse_sparse(found, who)
        self.n_features = found.shape[1]
        dtypes = list(found.dtypes) if hasattr(found, "dtypes") else [found.dtype]
        self.dtype = find_dtype(dtypes, who)

    def __iter__(self):
        for block in self.blocks:
            if block.X.shape[0]:  # transformers refuse an empty one
                yield block._replace(X=self.transformer.transform(block.X))


def _check_block_rows(block_rows):
    """The number itself; ValueError unless it can be one of rows."""
    if not isinstance(block_rows, Integral) or block_rows < 1:
        raise ValueError(f"block_rows must be a number from 1 on, got {block_rows!r}.")
    return int(block_rows)


def _fit_in_batches(transformer, blocks):
    """A transformer that is fitted, by all blocks if it was not before."""
    try:
        check_is_fitted(transformer)
    except NotFittedError:
        pass
    else:
        return transformer
    if not hasattr(transformer, "partial_fit"):
        raise TypeError(
            f"{type(transformer).__name__} cannot learn from blocks: it has no "
            "partial_fit. Fit it on some of the rows first, or use StandardScaler or "
            "IncrementalPCA."
        )
    fitted, waiting, n_waiting = clone(transformer), [], 0
    # IncrementalPCA needs as many rows at a time as it has components.
    least = max(getattr(transformer, "n_components", None) or 0, 1)
    for block in blocks:
        waiting.append(block.X)
        n_waiting += block.X.shape[0]
        if n_waiting >= 2 * least:  # at least as many are left for the last time
            joined = _stack(waiting)
            fitted.partial_fit(joined[:-least])
            waiting, n_waiting = [joined[-least:]], least
    if n_waiting:
        fitted.partial_fit(_stack(waiting))
    return fitted


def find_dtype(dtypes, who):
    """The floating type of rows of some types; ValueError for others than numbers."""
    for dtype in dtypes:
        if not _is_numeric(dtype):
            raise ValueError(
                f"{who} must hold numbers, got {dtype}; leave such columns out, or "
                "make numbers of them first."
            )
    is_single = all(dtype == np.float32 for dtype in dtypes)
    return np.dtype(np.float32 if is_single else np.float64)


def _is_numeric(dtype):
    """Whether a type of NumPy or pandas, such as Float64, is one of real numbers."""
    return getattr(dtype, "kind", "O") in "biuf"


def _refuse_sparse(X, who):
    """Raise ValueError if rows are sparse."""
    if sparse.issparse(X):
        raise ValueError(
            f"{who} is sparse, and rows in blocks must be dense. Leave out columns of "
            "text, or fit make_pipeline(TableEncoder(), TruncatedSVD(100)) on some "
            "rows and pass blocks.transformed(pipeline)."
        )


def read_matrix(block, n_features, dtype):
    """The rows of a block as a matrix; ValueError if they are not like the others."""
    X, is_frame = block.X, hasattr(block.X, "iloc")
    _refuse_sparse(X, block.name)
    X = X if is_frame else np.asarray(X)
    types = list(X.dtypes) if is_frame else [X.dtype]
    is_like = X.ndim == 2 and X.shape[1] == n_features
    if not (is_like and all(map(_is_numeric, types))):
        raise ValueError(
            f"{block.name} must hold numbers in {n_features:,} columns, as the first "
            f"one does, got {', '.join(sorted(set(map(str, types))))} of shape "
            f"{X.shape}."
        )
    if not is_frame:
        return X.astype(dtype, copy=False)
    return X.to_numpy(dtype=dtype, na_value=np.nan)  # also of columns that differ


class _Wanted(NamedTuple):
    """What is gathered of each block."""

    idx: np.ndarray  # positions of rows, sorted
    seed: int
    most_labels: int
    matrix: tuple | None  # number of features and type; None leaves rows as they are


@dataclass(frozen=True)
class _Survey:
    """What was gathered of a block; the sum is that of both, with labels thinned."""

    seed: int  # of the choice of labels
    most_labels: int
    n_rows: int
    n_blocks: int
    drawn: list  # rows that are wanted, an entry for each block that has some
    label_idx: np.ndarray  # positions of labeled rows, sorted
    names: np.ndarray  # their labels
    labeled: Any  # the rows
    n_labels: int  # also those that were left out

    def __add__(self, other):
        joined = _Survey(
            self.seed,
            self.most_labels,
            self.n_rows + other.n_rows,
            self.n_blocks + other.n_blocks,
            self.drawn + other.drawn,
            np.concatenate([self.label_idx, other.label_idx]),
            _join_names([self.names, other.names]),
            _stack([self.labeled, other.labeled]),
            self.n_labels + other.n_labels,
        )
        return joined.thinned()

    def thinned(self):
        """Without the labels that are too many: those of any sum would be the same.

        A label that is kept among all is kept among those of each part: with fewer
        others, none comes before it that had not done so already.
        """
        if len(self.label_idx) <= self.most_labels:
            return self
        kept = _thin_labels(self.label_idx, self.names, self.seed, self.most_labels)
        label_idx, names = self.label_idx[kept], self.names[kept]
        rows = _take(self.labeled, kept)
        return replace(self, label_idx=label_idx, names=names, labeled=rows)


def _survey(block, wanted):
    """Check the rows of a block; take labeled ones and those that are wanted."""
    n_rows = block.X.shape[0]
    X = block.X if wanted.matrix is None else read_matrix(block, *wanted.matrix)
    if n_rows and wanted.matrix is not None:
        Rows(X).check(block.name, is_training=False)
    own_idx, names = np.zeros(0, dtype=np.int64), np.zeros(0)
    if block.y is not None:
        if len(block.y) != n_rows:
            raise ValueError(
                f"{block.name} has {n_rows:,} rows, but its part of y {len(block.y):,} "
                "entries; X and y must be divided into the same blocks."
            )
        own_idx, names = np.flatnonzero(labeled_mask(block.y)), known_names(block.y)
    label_idx, seed, most = own_idx + block.start, wanted.seed, wanted.most_labels
    kept, n_labels = _thin_labels(label_idx, names, seed, most), len(label_idx)
    label_idx, names, labeled = label_idx[kept], names[kept], _take(X, own_idx[kept])
    first, last = np.searchsorted(wanted.idx, [block.start, block.start + n_rows])
    drawn = [_take(X, wanted.idx[first:last] - block.start)] if last > first else []
    taken = drawn, label_idx, names, labeled, n_labels
    return _Survey(seed, most, n_rows, 1, *taken)


def _take(X, idx):
    """Some rows of an array or a data frame, copied: the others need not stay."""
    return X.iloc[idx].copy() if hasattr(X, "iloc") else X[idx]


def _thin_labels(idx, names, seed, most):
    """Places of at most so many labels: two of each class first, others at random.

    Which ones depends on the positions of the rows, whatever blocks they are in.
    """
    if len(idx) <= most:
        return slice(None)
    keys = _random_keys(idx, seed)
    order = np.argsort(keys, kind="stable")
    _, codes = np.unique(names[order], return_inverse=True)
    by_class = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[by_class], codes)
    rank = np.empty(len(idx), dtype=np.int64)  # among the labels of the same class
    rank[by_class] = np.arange(len(idx)) - starts[by_class]
    chosen = np.argsort(rank >= 2, kind="stable")[:most]
    return np.sort(order[chosen])


def _random_keys(idx, seed):
    """A random number for each position, by the finalizer of splitmix64."""
    keys = idx.astype(np.uint64) + np.uint64(seed)  # wraps around
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        keys = (keys ^ (keys >> np.uint64(shift))) * np.uint64(factor)
    return keys ^ (keys >> np.uint64(31))


@dataclass(frozen=True)
class Gathered:
    """Labeled rows and some others of all blocks."""

    idx: np.ndarray  # their positions among all rows
    rows: Any  # an array or a data frame
    y: Any  # labels, partly unlabeled
    n_labels: int  # in all blocks
    drawn: Any = None  # rows that anchors are found from

    def anchored(self, graph):
        """The rows, with the graph of anchors that they belong to."""
        rows = Rows(self.rows)
        rows.anchors = graph
        return rows


def gather_rows(blocks, rng, *, n_drawn=GATHERED_ROWS, n_more=0, raw=False, say=None):
    """Labeled rows and `n_drawn` random ones, and as `drawn` with so many more of them.

    All blocks are read and checked, except if rows stay as they are, `raw`.
    """
    if not blocks.n_rows:
        raise ValueError("X must have at least one row, got none in all blocks.")
    n_all, seed = blocks.n_rows, int(rng.integers(2**63))
    some = rng.choice(n_all, min(n_drawn + n_more, n_all), replace=False)
    matrix = None if raw else (blocks.n_features, blocks.dtype)
    wanted = _Wanted(np.sort(some), seed, n_drawn, matrix)
    found = blocks.total(_survey, wanted, say)
    if found.n_rows != n_all:
        raise ValueError(
            f"X must have {n_all:,} rows, got {found.n_rows:,} in all blocks."
        )
    if not found.n_labels:
        raise ValueError(
            f"y has no label in any of {found.n_blocks:,} blocks of {n_all:,} rows; -1 "
            "among integers, NaN or None marks an unlabeled row."
        )
    label_idx, names, drawn = found.label_idx, found.names, _stack(found.drawn)
    read_labels(names)  # raises unless there are two classes
    others = np.setdiff1d(some[:n_drawn], label_idx)
    places = np.searchsorted(wanted.idx, others)
    idx = np.concatenate([label_idx, others])
    order = np.argsort(idx)
    y = hide(np.resize(names, len(idx)), np.arange(len(idx)) >= len(names))[order]
    rows = _take(_stack([found.labeled, _take(drawn, places)]), order)
    drawn = drawn if n_more else None
    return Gathered(idx[order], _stack([rows]), y, found.n_labels, drawn)


def _stack(parts):
    """The rows of several parts in one; the types of empty ones do not matter."""
    parts = [part for part in parts if part.shape[0]] or parts[:1]
    if hasattr(parts[0], "iloc"):
        import pandas as pd

        return pd.concat(parts, ignore_index=True)
    return np.concatenate(parts)


def _join_names(parts):
    """Labels of several blocks in one array; ValueError if their types differ."""
    parts = [part for part in parts if len(part)] or parts[:1]
    kinds = {part.dtype.kind for part in parts}
    if kinds <= set("iuf") or len(kinds) == 1:
        return np.concatenate(parts)
    joined = np.array([name for part in parts for name in part.tolist()], dtype=object)
    return known_names(joined)


def _count(block, shared):
    """What the rows of a block add to the graph of the anchors."""
    anchors, n_features, dtype = shared
    return anchors.count(read_matrix(block, n_features, dtype))


def anchor_rows(blocks, rng, *, rule=ANCHORS, n_gathered=GATHERED_ROWS, say=None):
    """What models learn from blocks: `Gathered` rows, and their graph of anchors.

    The graph is None if there are no more rows than are gathered.
    """
    with paused():  # searches in blocks are no stages of the fit
        return _anchor(blocks, rng, rule, n_gathered, say)


def join_anchors(rows, order, rng, *, rule=ANCHORS, n_gathered=GATHERED_ROWS):
    """The graph of anchors that all rows of a list of matrices make.

    Rows are drawn along `order`. The graph is None if there are no more rows than are
    gathered, and for sparse rows, because anchors are means of rows, which are dense.
    """
    n_rows = len(rows)
    if n_rows <= n_gathered or rows.is_sparse:
        return None
    drawn = rng.choice(n_rows, _count_drawn(n_rows, rule), replace=False)
    with paused():  # searches in blocks are no stages of the fit
        anchors = find_anchors(rows.take(order[drawn]).X, n_rows, rule=rule)
        edges = reduce(add, (found for _, found in rows.map(anchors.count)))
    return AnchorGraph.of(anchors, edges, n_rows)


def _count_drawn(n_rows, rule):
    """How many rows anchors are found from."""
    n_anchors = min(rule.most, n_rows // rule.rows_per_anchor)
    return min(rule.rows_per_center * n_anchors, n_rows)


def _anchor(blocks, rng, rule, n_gathered, say):
    """See `anchor_rows`."""
    n_rows, is_few = blocks.n_rows, blocks.n_rows <= n_gathered
    n_more = 0 if is_few else max(_count_drawn(n_rows, rule) - n_gathered, 0)
    found = gather_rows(blocks, rng, n_drawn=n_gathered, n_more=n_more, say=say)
    if is_few:
        return found, None
    some = found.rows if found.drawn is None else found.drawn
    anchors = find_anchors(some, n_rows, rule=rule)
    if say is not None:
        say(f"joining {n_rows:,} rows to {len(anchors):,} anchors")
    shared = anchors, blocks.n_features, blocks.dtype
    edges = blocks.total(_count, shared, say)
    return found, AnchorGraph.of(anchors, edges, n_rows)


def list_parquet(path):
    """The Parquet files in a folder, sorted; a file by itself."""
    path = Path(path)
    if not path.is_dir():
        if not path.exists():
            raise ValueError(f"There is no file or folder {path}.")
        return [path]
    found = (each.relative_to(path) for each in path.rglob("*.parquet"))
    shown = [each for each in found if not each.name.startswith((".", "_"))]
    if not shown:
        raise ValueError(f"{path} has no files that end in .parquet.")
    return [path / each for each in sorted(shown)]


def _open_parquet(path):
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        needs = name_package(f"Reading {path}", "pyarrow", "parquet")
        raise ImportError(needs) from error
    from pyarrow.lib import ArrowException

    try:
        return ParquetFile(path)
    except ArrowException as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise ValueError(f"{path} is not a Parquet file: {reason}.") from error


def _find_types(paths, schemas, names):
    """The type of each column in the first file where it has values.

    ValueError if a file lacks a column, or has numbers where another has none.
    """
    from pyarrow import types

    found = {}
    for path, schema in zip(paths, schemas, strict=True):
        lacking = [name for name in names if name not in schema.names]
        if lacking:
            raise ValueError(
                f"{path} has no column {', '.join(map(repr, lacking[:5]))}; its "
                f"columns are {', '.join(map(repr, schema.names[:20]))}."
            )
        for name in names:
            own = schema.field(name).type
            other, other_path = found.setdefault(name, (own, path))
            if types.is_null(other):
                found[name] = own, path
            elif not types.is_null(own) and _is_number(own) != _is_number(other):
                raise ValueError(
                    f"Column {name!r} is {own} in {path} and {other} in {other_path}; "
                    "write all files with the same types."
                )
    return {name: own for name, (own, _) in found.items()}


def _is_null(part, name):
    """Whether a column is of the type without any value."""
    from pyarrow import types

    return types.is_null(part.schema.field(name).type)


def _is_number(dtype):
    from pyarrow import types

    is_number = types.is_integer(dtype) or types.is_floating(dtype)
    return is_number or types.is_boolean(dtype) or types.is_null(dtype)
