"""What can be labeled: the rows of a table, images in a folder, texts, or arrays."""

import hashlib
import io
import math
import os
import re
import warnings
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import TfidfVectorizer

from widemargin.estimators.table_encoder import TableEncoder
from widemargin.labels import labeled_mask
from widemargin.studio.contents import describe_rows, find_change
from widemargin.studio.store import read_store
from widemargin.tables.columns import Kind, examine_columns, list_notes, needs_encoding
from widemargin.tables.errors import TableError, check_columns, shorten
from widemargin.tables.files import is_table_name, read_table, split_ending
from widemargin.tables.targets import describe_placeholders

IMAGE_ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff")
TEXT_ENDINGS = (".txt", ".text")
_IMAGE_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF")
_MOST_PIXELS = 50_000_000  # of an image that is opened
_SIDE = 32  # pixels of the images that features are made of
_N_COMPONENTS = 50  # of these
EXPORTED = ("prediction", "probability", "source")  # columns that an export adds
SOURCES = {"given", "labeled", "inferred"}  # what is in the last of them
_MOST_CLASSES = 500  # of a target; more are numbers or identifiers


@dataclass(frozen=True)
class Source:
    """Rows to label: features, what a person sees of them, and known labels."""

    name: str
    X: object  # an ndarray or a CSR matrix
    labels: dict = field(default_factory=dict)  # row -> class name as text
    values: dict = field(default_factory=dict)  # text -> class name as it was given
    target: str = "label"
    frame: pd.DataFrame | None = None  # all columns as they were given, for the export
    shown: pd.DataFrame | None = None  # columns on the card
    texts: list | None = None
    images: object = None
    preparation: object = None  # a fitted step that makes X of what `new` describes
    note: str = ""  # on how the features were made
    # row -> why nobody can see it; such rows are neither proposed nor predicted
    unreadable: dict = field(default_factory=dict)
    is_file: bool = True  # or arrays in memory
    kind: str = "arrays"  # or "table", "images", "texts"
    is_embedded: bool = False  # the features are from a file of their own

    @property
    def n_rows(self):
        """Number of rows."""
        return self.X.shape[0]

    @property
    def hash(self):
        """A hash of the features, texts and columns, by which changes are noticed."""
        digest = _hash_features(self.X)
        for text in self.texts or ():
            digest.update(text.encode("utf-8", "replace") + b"\0")
        if self.images is not None:
            digest.update(self.images.hash.encode())
        is_shown = self.shown is not None and self.kind != "texts"  # numbers of lines
        for name in self.shown if is_shown else ():
            column = self.shown[name]
            if not pd.api.types.is_numeric_dtype(column):  # others take long as text
                column = column.astype(str)
            hashes = pd.util.hash_pandas_object(column, index=False)
            digest.update(str(name).encode() + hashes.to_numpy().tobytes())
        return digest.hexdigest()

    @property
    def contents(self):
        """What a file of labels notes of the rows; None for arrays, see `hash`."""
        if self.kind == "arrays":
            return None
        features = _hash_features(self.X).hexdigest() if self.is_embedded else None
        frame, uses = self.frame, None
        if self.kind == "images":
            frame = self.images.facts
        elif self.kind == "texts":
            frame = pd.DataFrame({"texts": self.texts})
        elif not self.is_embedded:
            columns = self.preparation.columns_
            used = [c for c in columns if c.kind is not Kind.LEFT_OUT]
            uses = {str(column.name): column.kind.value for column in used}
        frame = frame.drop(columns=self.target, errors="ignore")
        return describe_rows(frame, self.kind, uses=uses, features=features)

    def original(self, names):
        """Class names as they were given if all are known, otherwise as text."""
        return original_names(names, self.values)


def _hash_features(X):
    digest = hashlib.sha256(repr(X.shape).encode())
    for part in (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,):
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest


def original_names(names, values):
    """Class names as `values` has them; whole numbers if those there are whole."""
    if all(name in values for name in names):
        return [values[name] for name in names]
    are_whole = {type(value) for value in values.values()} == {int}
    if are_whole and all(name.isdecimal() and str(int(name)) == name for name in names):
        return [int(name) for name in names]
    return list(names)


def stored_column(frame, cells, target, path):
    """Labels of a file of labels as a column; and which of them are of random rows.

    `frame` is the table, and `cells` holds its cells as they stand in the file.
    """
    state, facts = read_store(path)
    _check_rows(frame, cells, target, path, facts)
    values = _known_labels(frame[target])[1] if target in frame else {}
    used = {event.label for event in state.labels.values()}
    classes = [name for name in state.classes if name in used]
    names = original_names(classes, values)
    given = dict(zip(classes, names, strict=True))
    labels = [None] * len(frame)
    for row, event in state.labels.items():
        labels[row] = given[event.label]
    is_whole = bool(names) and all(type(name) is int for name in names)
    column = pd.Series(labels, frame.index, "Int64" if is_whole else object, target)
    is_random = np.zeros(len(frame), dtype=bool)
    is_random[state.random_rows] = True
    return column, is_random


def _check_rows(frame, cells, target, path, facts):
    """Raise `TableError` unless the rows of a table are those that were labeled."""
    n_rows, known, name = facts["n_rows"] or 0, facts["contents"], facts["source"]
    if n_rows != len(frame):
        raise TableError(
            f"{path} holds labels of {n_rows:,} rows, but the table has "
            f"{len(frame):,}; choose the table that was labeled."
        )
    if known is None and facts["is_file"] is not False:
        raise TableError(
            f"{path} does not say which table its labels belong to; run widemargin "
            "label once more on the table that was labeled, then fit it."
        )
    if known is None or known["kind"] != "table":
        what = name if facts["is_file"] else "arrays"
        warnings.warn(
            f"{path} holds labels of {what}, whose rows cannot be compared with those "
            "of the table; both must be in the same order.",
            UserWarning,
            stacklevel=2,
        )
        return
    kept = list(_without_predictions(frame))
    cells = cells[kept].drop(columns=[target, facts["target"]], errors="ignore")
    change = find_change(known, describe_rows(cells, "table"), features=False)
    if change is not None:
        if facts["target"] not in (None, target):
            raise TableError(
                f"{path} holds labels for the column {facts['target']!r}, but the "
                f"target is {target!r}; use --target {facts['target']} or another file."
            )
        raise TableError(
            f"The labels in {path} belong to another table than this one: {change[0]}. "
            f"Choose the table that was labeled ({name}), or restore it."
        )


class ImageFiles:
    """Images in files, each of which may be broken."""

    def __init__(self, paths, root=None):
        self.paths, self.root = paths, root

    @property
    def hash(self):
        """By names and sizes of the files."""
        names, sizes = (self.facts[name].tolist() for name in self.facts)
        return hashlib.sha256(repr((names, sizes)).encode()).hexdigest()

    @property
    def facts(self):
        """Names and sizes of the files."""
        sizes = [os.stat(path).st_size for path in self.paths]
        return pd.DataFrame({"file names": self.names, "file sizes": sizes})

    def _name(self, path):
        return os.path.relpath(path, self.root) if self.root else os.path.basename(path)

    @property
    def names(self):
        """Names of the files."""
        return [self._name(path) for path in self.paths]

    def open(self, row):
        """The image of a row; ValueError if it cannot be read or is too large."""
        from PIL import Image, ImageOps

        path = os.path.realpath(self.paths[row])
        if self.root is not None and not _is_inside(path, self.root):
            raise ValueError(f"{self.names[row]} leads out of the folder.")
        name, size = self.names[row], None
        try:
            with Image.open(path, formats=_IMAGE_FORMATS) as image:
                size = image.size
                if image.width * image.height <= _MOST_PIXELS:
                    image.draft("RGB", (1024, 1024))
                    return ImageOps.exif_transpose(image).convert("RGB")
        except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
            raise ValueError(_too_large(name)) from error
        except (OSError, SyntaxError) as error:
            raise ValueError(f"{name} cannot be read as an image.") from error
        except (ValueError, TypeError, IndexError, KeyError, EOFError) as error:
            raise ValueError(f"{name} cannot be read as an image: {error}") from error
        raise ValueError(_too_large(name, size))


def _too_large(name, size=None):
    pixels = "" if size is None else f"{size[0]:,} x {size[1]:,} pixels, "
    most = f"{_MOST_PIXELS // 10**6} million"
    return f"{name} is too large: {pixels}more than {most}."


class ImageArrays:
    """Images as arrays, (n_rows, height, width) or with 3 channels; any range."""

    def __init__(self, arrays):
        self.arrays = np.asarray(arrays)
        if self.arrays.ndim not in (3, 4) or self.arrays.dtype.kind not in "buif":
            raise ValueError(
                "images of label must be an array (n_rows, height, width) of numbers, "
                "with 3 channels or without, or a list of files, got shape "
                f"{self.arrays.shape} of {self.arrays.dtype}."
            )
        if self.arrays.ndim == 4 and self.arrays.shape[-1] != 3:
            raise ValueError(
                f"images of label must have 3 channels, got {self.arrays.shape[-1]}."
            )
        low, high = float(self.arrays.min()), float(self.arrays.max())
        self._low, self._factor = low, 255.0 / max(high - low, 1e-300)

    def __len__(self):
        return len(self.arrays)

    @property
    def hash(self):
        """By all values."""
        return hashlib.sha256(np.ascontiguousarray(self.arrays).tobytes()).hexdigest()

    def open(self, row):
        """The image of a row."""
        from PIL import Image

        scaled = (self.arrays[row].astype(float) - self._low) * self._factor
        return Image.fromarray(scaled.round().astype(np.uint8)).convert("RGB")


NO_IMAGE = ImageArrays(np.zeros((1, 1, 1)))  # stands for one that cannot be read


def encode_image(images, row, side):
    """A PNG file of the image of a row, at most `side` pixels wide and high."""
    image = images.open(row)
    image.thumbnail((side, side))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def read_source(
    path, target=None, *, embeddings=None, reading=None, uses=None, day_first=None
):
    """The source of a path: a folder of images, a file of texts, or a table.

    `reading`, `uses` and `day_first` are how a table is read, see `widemargin.tables`.
    """
    if path == "-":
        raise TableError(
            "widemargin label needs a file, so that you can continue later, got '-'."
        )
    if os.path.isdir(path):
        source = read_images(path)
    elif Path(path).suffix.lower() in TEXT_ENDINGS and not is_table_name(path):
        source = read_texts(path)
    else:
        source = read_rows(path, target, reading or {}, uses or {}, day_first)
    if embeddings is not None:
        source = with_embeddings(source, embeddings)
    elif source.X is None:
        source = _make_features(source)
    if source.n_rows < 3:
        raise TableError(
            f"{source.name} has {source.n_rows} rows; a model needs at least three."
        )
    return source


def with_embeddings(source, path):
    """A source with features from an .npy or table file, one line per row."""
    if Path(path).suffix.lower() == ".npy":
        try:
            X = np.load(path, allow_pickle=False)
        except (ValueError, EOFError) as error:
            raise TableError(f"{path} is not a NumPy array file (.npy).") from error
    else:
        X = read_table(path).to_numpy()
    if X.ndim != 2 or X.dtype.kind not in "buif" or not np.isfinite(X).all():
        raise TableError(
            f"{path} must hold a matrix of finite numbers, a line for each row, got "
            f"shape {X.shape} of {X.dtype}."
        )
    n_rows = len(source.texts if source.frame is None else source.frame)
    if len(X) != n_rows:
        raise TableError(
            f"{path} has {len(X):,} lines, but {source.name} has {n_rows:,} rows."
        )
    X = np.ascontiguousarray(X, dtype=X.dtype if X.dtype.kind == "f" else float)
    note = source.note if source.kind == "texts" else ""
    note = f"Features: {path}. {note}".strip()
    return replace(source, X=X, preparation=None, note=note, is_embedded=True)


def _make_features(source):
    """Features of images or texts."""
    if source.images is not None:
        return _image_features(source)
    step = TfidfVectorizer(sublinear_tf=True, max_features=20_000)
    try:
        X = step.fit_transform(source.texts).tocsr()
    except ValueError as error:
        raise TableError(f"{source.name} holds no words.") from error
    note = f"Features: TF-IDF of {X.shape[1]:,} words. {source.note}".strip()
    return replace(source, X=X, preparation=step, note=note)


def _image_features(source):
    n_rows, pixels, broken = len(source.frame), [], {}
    for row in range(n_rows):
        try:
            image = source.images.open(row).resize((_SIDE, _SIDE))
            pixels.append(np.asarray(image, dtype=np.float32).ravel() / 255.0)
        except ValueError as error:
            broken[row] = str(error)
            pixels.append(None)
    if n_rows - len(broken) < 3:
        raise TableError(f"{source.name} has fewer than three images that can be read.")
    mean = np.mean([p for p in pixels if p is not None], axis=0)
    pixels = np.array([mean if p is None else p for p in pixels])
    step = PCA(min(_N_COMPONENTS, *pixels.shape), random_state=0)
    X = step.fit_transform(pixels)
    note = f"Features: {X.shape[1]} principal components of {_SIDE} x {_SIDE} pixels."
    if broken:
        reasons = shorten([reason.rstrip(".") for reason in broken.values()])
        note += (
            f" {len(broken):,} of the files cannot be used and are neither proposed "
            f"nor predicted: {reasons}."
        )
    parts = {"preparation": step, "note": note, "unreadable": broken}
    return replace(source, X=np.ascontiguousarray(X), **parts)


def read_images(folder):
    """The images below a folder, sorted by name; links out of it are left out."""
    root, paths = os.path.realpath(folder), []
    for place, _, names in os.walk(root):
        for name in names:
            path = os.path.join(place, name)
            is_image = Path(name).suffix.lower() in IMAGE_ENDINGS
            if is_image and os.path.isfile(path) and _is_inside(path, root):
                paths.append(path)
    if not paths:
        endings = ", ".join(IMAGE_ENDINGS)
        raise TableError(f"There is no image in {folder}; names end in {endings}.")
    images = ImageFiles(sorted(paths), root)
    frame = pd.DataFrame({"file": images.names})
    parts = {"frame": frame, "shown": frame, "images": images, "kind": "images"}
    return Source(str(folder), None, **parts)


def _is_inside(path, root):
    return os.path.commonpath([os.path.realpath(path), root]) == root


def read_texts(path):
    """The lines of a file, each a text."""
    try:
        lines = Path(path).read_text("utf-8-sig").splitlines()
    except OSError as error:
        reason = os.strerror(error.errno).lower() if error.errno else error
        raise TableError(f"Cannot read {path}: {reason}.") from error
    except UnicodeDecodeError as error:
        raise TableError(
            f"{path} is not a text file in UTF-8; save it as one."
        ) from error
    numbers = [i for i, line in enumerate(lines, 1) if line.strip()]
    if not numbers:
        raise TableError(f"{path} is empty.")
    texts = [lines[i - 1].strip() for i in numbers]
    frame, shown, note = pd.DataFrame({"text": texts}), None, ""
    if n_blank := len(lines) - len(numbers):
        shown = pd.DataFrame({"line": [str(i) for i in numbers]})
        frame = shown.assign(text=texts)
        what = "1 blank line is" if n_blank == 1 else f"{n_blank:,} blank lines are"
        note = f"{what} left out; each row shows the number of its line."
    parts = {"texts": texts, "frame": frame, "shown": shown, "note": note}
    return Source(str(path), None, kind="texts", **parts)


def read_rows(path, target, reading, uses, day_first=None):
    """The rows of a table, encoded as `widemargin fit` does it."""
    target = target or "label"
    text = (*uses.get("categorical", ()), *uses.get("text", ()))
    options = {"text": text, "target": target, "keep_cells": True, **reading}
    frame, cells = read_table(path, **options)
    frame = _without_predictions(frame)
    features, labels, values = frame, {}, {}
    if target in frame:
        features = frame.drop(columns=target)
        labels, values = _known_labels(frame[target])
    uses = {use: [c for c in names if c != target] for use, names in uses.items()}
    check_columns([c for names in uses.values() for c in names], frame, str(path))
    examining = {"name": str(path), "day_first": day_first}
    columns = examine_columns(features, **examining, **uses)
    encoder = TableEncoder(**uses).fit(features, columns=columns)
    X = encoder.transform(features)
    used = [c for c in encoder.columns_ if c.kind is not Kind.LEFT_OUT]
    left_out = [
        f"{c.name} ({c.reason})" for c in encoder.columns_ if c.kind is Kind.LEFT_OUT
    ]
    note = f"Features: {shorten([str(c.name) for c in used])}."
    notes = [*list_notes(features, encoder.columns_), *describe_placeholders(values)]
    if look_like_pixels(features):
        notes.append(_PIXELS)
    if target not in frame:
        near = get_close_matches(target, list(frame), 1)
        meant = f" (did you mean {near[0]!r}?)" if near else ""
        note = f"{target!r} is a new column{meant}. {note}"
    note += f" Left out: {'; '.join(left_out)}." if left_out else ""
    note += "".join(f" Note: {text}." for text in notes)
    source = Source(
        str(path),
        X if sparse.issparse(X) else np.ascontiguousarray(X),
        labels,
        values,
        target,
        cells[list(frame)],
        features,
        preparation=encoder,
        note=note,
        kind="table",
    )
    if len(used) > 1 or used[0].kind is not Kind.TEXT:
        return source
    texts = source.frame[used[0].name].map(_as_text).str.strip().tolist()
    return replace(source, texts=texts, shown=features.drop(columns=used[0].name))


def look_like_pixels(frame):
    """Whether the columns of a table seem to be the pixels of square images.

    All are numbers, at least 49, as many as a square has. Their names say "pixel" or
    "px", or count rows and columns, from 0 or 1, as in "1x1"; or their values are like
    those of neighbors in a square, see `_are_like_neighbors`.
    """
    side = math.isqrt(frame.shape[1])
    if side < 7 or side**2 != frame.shape[1]:
        return False
    if not all(pd.api.types.is_numeric_dtype(dtype) for dtype in frame.dtypes):
        return False
    names = [str(name).casefold() for name in frame]
    if all("pixel" in name or "px" in name for name in names):
        return True
    pairs = [tuple(map(int, re.findall(r"\d+", name))) for name in names]
    grids = (list(product(range(k, k + side), repeat=2)) for k in (0, 1))
    return any(sorted(pairs) == grid for grid in grids) or _are_like_neighbors(
        frame.iloc[:_MOST_EXAMINED].to_numpy(dtype=float, na_value=np.nan), side
    )


def _are_like_neighbors(X, side):
    """Whether values are correlated with those on the right and those below.

    And more so than with those half the side away: the values of a time series are
    like the ones before and after, and answers to questions are like all others.
    """
    if len(X) < _FEWEST_EXAMINED or not np.isfinite(X).all():
        return False
    X = X - X.mean(axis=0)
    spread = np.sqrt((X**2).mean(axis=0))
    varies = (spread > 0).reshape(side, side)
    X = (X / np.where(spread > 0, spread, 1.0)).reshape(-1, side, side)

    def correlation(down, right):
        both = varies[: side - down, : side - right] & varies[down:, right:]
        products = X[:, : side - down, : side - right] * X[:, down:, right:]
        return products.mean(axis=0)[both].mean() if both.any() else 0.0

    near = min(correlation(0, 1), correlation(1, 0))
    far = max(correlation(0, side // 2), correlation(side // 2, 0))
    return bool(near > max(_LEAST_LIKE, 1.25 * far))


# Images of digits, faces and objects: 0.32 to 0.87 near, and at most 0.75 of it far.
_LEAST_LIKE = 0.2
_MOST_EXAMINED, _FEWEST_EXAMINED = 1000, 20  # rows
_PIXELS = (
    "the columns look like pixels, and the page shows them as numbers; in Python, "
    "widemargin.label(X, images=...) shows pictures"
)


def _without_predictions(frame):
    """A table without the columns that an export added to it."""
    is_export = set(EXPORTED) <= set(frame) and set(frame["source"].dropna()) <= SOURCES
    return frame.drop(columns=list(EXPORTED)) if is_export else frame


def _as_text(value):
    return "" if value is None or value != value else str(value)


def _known_labels(column):
    """Labels of a column by row, as text; and each text as it was given."""
    labels, values = {}, {}
    is_whole = pd.api.types.is_float_dtype(column) and not (column.dropna() % 1).any()
    known = labeled_mask(column.to_numpy())
    for row in np.flatnonzero(known).tolist():
        value = column.iloc[row]
        value = value.item() if isinstance(value, np.generic) else value
        value = int(value) if is_whole else value
        name = str(value).strip()
        if name:
            is_plain = isinstance(value, str | bool | int)  # what a model file may hold
            labels[row], values[name] = name, value if is_plain else name
    if len(values) > _MOST_CLASSES:
        raise TableError(
            f"The labels {shorten(map(repr, values), 3)} are {len(values):,} different "
            f"ones, more than {_MOST_CLASSES}; choose another column with --target."
        )
    return labels, values


def from_arrays(X, y=None, *, images=None, texts=None, names=None):
    """The source of arrays in memory, as `widemargin.label` takes them."""
    n_rows = None
    for what in (X, images, texts):
        if what is not None:
            n_rows = what.shape[0] if hasattr(what, "shape") else len(what)
            break
    if n_rows is None:
        raise ValueError("label needs rows: X, or images=..., or texts=...")
    shown = encoder = None
    if isinstance(X, pd.DataFrame):
        shown = X.reset_index(drop=True)
        encoder = TableEncoder().fit(X) if needs_encoding(X) else None
        X = X.to_numpy() if encoder is None else encoder.transform(X)
    if X is not None:
        X = X.tocsr() if sparse.issparse(X) else np.asarray(X)
        if X.ndim != 2:
            raise ValueError(f"X of label must be a matrix, got shape {X.shape}.")
        X = X if X.dtype.kind == "f" else X.astype(float)
        _check_finite(X)
    if images is not None:
        is_paths = isinstance(images, list | tuple) and all(
            isinstance(image, str | os.PathLike) for image in images
        )
        n_images = len(images)
        images = (
            ImageFiles([os.fspath(i) for i in images])
            if is_paths
            else (ImageArrays(images))
        )
        _check_length("images", n_images, n_rows)
    if texts is not None:
        texts = [_as_text(text) for text in texts]
        _check_length("texts", len(texts), n_rows)
    labels, values = {}, {}
    if y is not None:
        _check_length("y", len(y), n_rows)
        labels, values = _known_labels(pd.Series(y).reset_index(drop=True))
    frame = pd.DataFrame({"row": np.arange(1, n_rows + 1)}) if shown is None else shown
    source = Source(
        names or "rows",
        X,
        labels,
        values,
        frame=frame,
        shown=shown,
        texts=texts,
        images=images,
        preparation=encoder,
        is_file=False,
    )
    source = _make_features(source) if X is None else source
    if source.n_rows < 3:
        raise ValueError(f"label needs at least three rows, got {source.n_rows}.")
    return source


def _check_finite(X):
    values = X.data if sparse.issparse(X) else X
    if not np.isfinite(values).all():
        raise ValueError(
            "X of label must hold finite numbers, got NaN or infinity; fill missing "
            "values first, for example with sklearn.impute.SimpleImputer."
        )


def _check_length(name, length, n_rows):
    if length != n_rows:
        raise ValueError(
            f"{name} of label must have {n_rows:,} entries, got {length:,}."
        )


def default_store(path):
    """Name of the file of labels of an input, in the current folder."""
    return f"{split_ending(str(path).rstrip('/'))[0] or 'rows'}-labels.sqlite"
