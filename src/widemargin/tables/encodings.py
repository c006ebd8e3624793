"""Columns of a table as features: what each kind of column learns and computes."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

from widemargin.stored import Stored, is_finite, require
from widemargin.tables.cells import Reading, texts_of
from widemargin.tables.columns import Kind
from widemargin.tables.errors import shorten_text

_MISSING = "(missing)"  # a category like others
_MANY_TEXTS = 100  # a word of one text only is left out from here on
_DAY = np.timedelta64(1, "D")
_PARTS = {
    "day": lambda dates: (dates - pd.Timestamp("1970-01-01")) / _DAY,
    "month": lambda dates: dates.dt.month.astype(float),
    "weekday": lambda dates: dates.dt.day_of_week.astype(float),
    "hour": lambda dates: dates.dt.hour + dates.dt.minute / 60.0,
}


@dataclass(frozen=True)
class Scaling(Stored):
    """Columns of numbers, each with mean zero and variance one in training rows."""

    fill: np.ndarray  # medians, in place of missing numbers
    mean: np.ndarray
    scale: np.ndarray

    @classmethod
    def fit(cls, numbers):
        """Learn the scaling of a frame of numbers; a column without any is zero."""
        fill = numbers.median().fillna(0.0)
        filled = numbers.fillna(fill)
        scale = filled.std(ddof=0).to_numpy()
        # A constant column stays constant: its spread is rounding, at the most.
        is_constant = scale <= 1e-12 * filled.abs().max().to_numpy()
        scale = np.where(is_constant, 1.0, scale)
        return cls(fill.to_numpy(float), filled.mean().to_numpy(float), scale)

    def __call__(self, numbers):
        """The scaled numbers of a frame, as an array."""
        values = numbers.to_numpy(float)
        return (np.where(np.isnan(values), self.fill, values) - self.mean) / self.scale

    def check(self, n_features):
        """Raise ValueError unless all are finite and of one length."""
        for name in ("fill", "mean", "scale"):
            array = getattr(self, name)
            require(is_finite(array, 1) and len(array) == len(self.fill), self, name)
        require(bool((self.scale > 0).all()), self, "scale")


@dataclass(frozen=True)
class NumberFeature(Stored):
    """A column of numbers, scaled; missing ones get the median."""

    name: str
    form: str
    has_strays: bool
    scaling: Scaling

    @classmethod
    def fit(cls, column, values):
        """Learn the encoding of a column."""
        numbers = column.reading.numbers(values).to_frame()
        return cls(column.name, column.form, column.has_strays, Scaling.fit(numbers))

    def __call__(self, values):
        """The scaled numbers, (n_rows, 1)."""
        reading = Reading(self.name, self.form, self.has_strays)
        return self.scaling(reading.numbers(values).to_frame())

    @property
    def feature_names(self):
        """One name."""
        return [self.name]

    def check(self, n_features):
        """Raise ValueError unless the scaling is that of one column."""
        require(self.form in (".", ","), self, "form")
        require(len(self.scaling.fill) == 1, self, "scaling")


@dataclass(frozen=True)
class DateFeature(Stored):
    """A column of dates: days since 1970, and month, weekday and hour if they differ.

    Together the parts count as much as one column of numbers.
    """

    name: str
    form: str
    has_strays: bool
    parts: tuple
    scaling: Scaling

    @classmethod
    def fit(cls, column, values):
        """Learn the encoding of a column."""
        dates = column.reading.dates(values)
        numbers = _parts_of(dates, _PARTS)
        parts = tuple(name for name in numbers if numbers[name].nunique() > 1)
        parts = parts or ("day",)
        scaling = Scaling.fit(numbers[list(parts)])
        return cls(column.name, column.form, column.has_strays, parts, scaling)

    def __call__(self, values):
        """The scaled parts, (n_rows, n_parts)."""
        reading = Reading(self.name, self.form, self.has_strays)
        numbers = _parts_of(reading.dates(values), self.parts)
        return self.scaling(numbers) / np.sqrt(len(self.parts))

    @property
    def feature_names(self):
        """One name per part."""
        return [f"{self.name}_{part}" for part in self.parts]

    def check(self, n_features):
        """Raise ValueError unless the parts are known and scaled."""
        require(self.parts and set(self.parts) <= _PARTS.keys(), self, "parts")
        require(len(self.scaling.fill) == len(self.parts), self, "scaling")


def _parts_of(dates, names):
    return pd.DataFrame({name: _PARTS[name](dates) for name in names})


@dataclass(frozen=True)
class CategoryFeature(Stored):
    """A column of categories: a feature per category, zeros for one that is new."""

    name: str
    categories: tuple

    @classmethod
    def fit(cls, column, values):
        """Learn the encoding of a column."""
        return cls(column.name, tuple(sorted(set(_categories(values)))))

    def __call__(self, values):
        """A one per row, (n_rows, n_categories)."""
        places = {category: i for i, category in enumerate(self.categories)}
        codes = np.array([places.get(text, -1) for text in _categories(values)])
        return (codes[:, None] == np.arange(len(places))).astype(float)

    @property
    def feature_names(self):
        """One name per category."""
        return [f"{self.name}_{category}" for category in self.categories]

    def check(self, n_features):
        """Raise ValueError unless the categories are different texts."""
        fits = all(isinstance(category, str) for category in self.categories)
        fits = fits and 0 < len(set(self.categories)) == len(self.categories)
        require(fits, self, "categories")


def _categories(values):
    return texts_of(values).fillna(_MISSING)


@dataclass(frozen=True)
class TextFeature(Stored):
    """A column of text: TF-IDF weights of its words, rows of unit length."""

    name: str
    words: tuple
    idf: np.ndarray

    @classmethod
    def fit(cls, column, values):
        """Learn the encoding of a column."""
        texts = texts_of(values).fillna("")
        is_rare = 2 if len(texts) >= _MANY_TEXTS else 1
        vectorizer = TfidfVectorizer(sublinear_tf=True, min_df=is_rare)
        try:
            vectorizer.fit(texts)
        except ValueError:  # no word, or none in two texts
            return cls(column.name, (), np.zeros(0))
        words = tuple(vectorizer.get_feature_names_out().tolist())
        return cls(column.name, words, vectorizer.idf_)

    def __call__(self, values):
        """The weights of words, (n_rows, n_words)."""
        if not self.words:
            return sparse.csr_matrix((len(values), 0))
        vectorizer = TfidfVectorizer(sublinear_tf=True, vocabulary=self.words)
        vectorizer.idf_ = self.idf
        return vectorizer.transform(texts_of(values).fillna(""))

    @property
    def feature_names(self):
        """One name per word."""
        return [f"{self.name}_{word}" for word in self.words]

    def check(self, n_features):
        """Raise ValueError unless there is a weight for each word."""
        fits = all(isinstance(word, str) for word in self.words)
        require(fits and len(set(self.words)) == len(self.words), self, "words")
        fits = is_finite(self.idf, 1) and len(self.idf) == len(self.words)
        require(fits and bool((self.idf >= 0).all()), self, "idf")


@dataclass(frozen=True)
class Unread:
    """Cells of a column in new rows that a model does not know."""

    name: str  # of the column
    n_cells: int
    n_rows: int
    example: str
    is_category: bool = False  # otherwise they count as missing

    def __add__(self, other):
        """The same of more rows."""
        n_cells, n_rows = self.n_cells + other.n_cells, self.n_rows + other.n_rows
        example = self.example if self.n_cells else other.example
        return replace(self, n_cells=n_cells, n_rows=n_rows, example=example)

    def __str__(self):
        cells = f"{self.n_cells:,} of {self.n_rows:,} cells"
        what = "counted as missing"
        if self.is_category:
            what = "not among the categories of the training rows"
        verb = "is" if self.n_cells == 1 else "are"
        return (
            f"{self.name!r}: {cells}, such as {shorten_text(self.example)!r}, {verb} "
            f"{what}"
        )


def find_unread(features, frame):
    """Unread cells of each column that may have any, as `Unread`."""
    for feature in features:
        values = frame[feature.name]
        is_category = isinstance(feature, CategoryFeature)
        if is_category:
            known = texts_of(values).isin(feature.categories)
        elif getattr(feature, "has_strays", False):
            reading = Reading(feature.name, feature.form, has_strays=True)
            is_number = isinstance(feature, NumberFeature)
            read = reading.numbers if is_number else reading.dates
            known = read(values).notna()
        else:
            continue
        unread = values[values.notna() & ~known]
        example = str(unread.iloc[0]) if len(unread) else ""
        yield Unread(feature.name, len(unread), len(values), example, is_category)


FEATURES = {
    Kind.NUMBERS: NumberFeature,
    Kind.DATES: DateFeature,
    Kind.CATEGORIES: CategoryFeature,
    Kind.TEXT: TextFeature,
}


def encode(features, frame):
    """The features of a table, (n_rows, n_features); sparse if some columns are text.

    The words of all texts together count as much as all other columns together.
    """
    blocks = [feature(frame[feature.name]) for feature in features]
    if not any(map(sparse.issparse, blocks)):
        return np.hstack(blocks)
    n_texts = sum(map(sparse.issparse, blocks))
    weight = np.sqrt(max(1, len(blocks) - n_texts) / n_texts)
    blocks = [
        weight * b if sparse.issparse(b) else sparse.csr_matrix(b) for b in blocks
    ]
    return sparse.hstack(blocks, format="csr")
