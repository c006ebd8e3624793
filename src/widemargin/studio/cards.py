"""What a person sees of a row: its picture, its text, or its columns."""

import numpy as np
import pandas as pd

from widemargin.studio.state import Refusal

MOST_TEXT = 20_000  # characters of a text on a card; a cell shows fewer
_MOST_CELL, _MOST_BRIEF, _MOST_SOUGHT = 500, 160, 5_000
_MOST_COLUMNS, _MOST_BRIEF_COLUMNS = 30, 6


class CardMaker:
    """Cards of the rows of a source."""

    def __init__(self, source):
        self.source, self._sought = source, None
        shown = source.shown
        if shown is None and source.images is None and source.texts is None:
            names = [f"x{i}" for i in range(source.X.shape[1])][:100]
            shown = pd.DataFrame(_dense(source.X[:, : len(names)]), columns=names)
        self.shown = (
            pd.DataFrame(index=range(source.n_rows)) if shown is None else shown
        )
        if keys := _identifiers(source):
            self.shown = self.shown[sorted(self.shown, key=keys.__contains__)]
        self._cells = self.shown if source.frame is None else source.frame
        self._numbers, self._varying = {}, []
        for name in self.shown:
            values = self.shown[name]
            if pd.api.types.is_numeric_dtype(values) and values.notna().any():
                values = values.to_numpy(dtype=float, na_value=np.nan)
                low, high = np.nanpercentile(values, [1, 99])
                self._numbers[name] = values, float(low), float(high)
                varies = (values != values[0]).any()
            else:
                varies = values.astype(str).nunique() > 1
            self._varying += [name] if varies else []
        self._moments = {name: _moments(n[0]) for name, n in self._numbers.items()}
        self._means = None, {}

    def check(self, row):
        """Raise `Refusal` unless there is such a row."""
        if type(row) is not int or not 0 <= row < self.source.n_rows:
            n = self.source.n_rows - 1
            raise Refusal(f"There is no row {row!r}; rows are 0 to {n:,}.")

    def make(self, row, snapshot, classes):
        """Facts for the card of a row."""
        texts, card = self.source.texts, {"row": row, "columns": []}
        card["image"] = self.source.images is not None
        if texts is not None:
            card["text"] = texts[row][:MOST_TEXT]
            card["cut"] = max(len(texts[row]) - MOST_TEXT, 0)
        names = list(self.shown)
        card["n_columns"] = len(names)
        if len(names) > _MOST_COLUMNS:
            names = self._most_unusual([row], _MOST_COLUMNS)
        card["columns"] = [self._cell(name, row, snapshot, classes) for name in names]
        return card

    def _most_unusual(self, rows, n):
        """The n columns in which rows differ most from all; no constant ones.

        They are in the order of a card.
        """
        ranks = {name: self._rank(name, rows) for name in self._varying}
        kept = set(sorted(ranks, key=lambda name: -ranks[name])[:n])
        return [name for name in self._varying if name in kept]

    def _rank(self, name, rows):
        """Distance of the mean of rows from that of all, in standard deviations.

        Words count as one standard deviation: a person knows rows by them.
        """
        if name not in self._numbers:
            return 1.0
        values, (mean, std) = self._numbers[name][0][rows], self._moments[name]
        values = values[np.isfinite(values)]
        return abs(values.mean() - mean) / std if len(values) and std > 0 else 0.0

    def _cell(self, name, row, snapshot, classes):
        text = {"name": name, "value": self._text(name, row)[:_MOST_CELL]}
        if name not in self._numbers:
            return text
        values, low, high = self._numbers[name]
        number = float(values[row])
        if np.isnan(number):
            return text
        cell = {"name": name, "value": f"{number:.6g}"}
        if high > low:
            means = self._class_means(name, snapshot, len(classes))
            cell["at"] = _share(number, low, high)
            cell["means"] = [
                None if np.isnan(mean) else _share(mean, low, high) for mean in means
            ]
        return cell

    def _text(self, name, row):
        """A cell as it stands in the table, such as "n/a" for a missing number."""
        cells = self._cells if name in self._cells else self.shown
        value = cells[name].iloc[row]
        return "" if pd.isna(value) is True else str(value)

    def _class_means(self, name, snapshot, n_classes):
        """Mean of a column over the rows of each class; kept while nothing changes."""
        if not n_classes:
            return []
        key = snapshot.place, n_classes
        if self._means[0] != key:
            self._means = key, {}
        known = self._means[1]
        if name not in known:
            values = self._numbers[name][0]
            used = (snapshot.codes < n_classes) & ~np.isnan(values)
            codes = snapshot.codes[used]
            counts = np.bincount(codes, minlength=n_classes)
            with np.errstate(invalid="ignore"):
                known[name] = np.bincount(codes, values[used], n_classes) / counts
        return known[name]

    def briefs(self, rows, n):
        """The first n rows of a group in a line each, all with the same columns."""
        names = self._most_unusual(rows, _MOST_BRIEF_COLUMNS)
        return [self.brief(row, names) for row in rows[:n]]

    def brief(self, row, names=None):
        """A row in a line, by default with its most unusual columns."""
        row = int(row)
        if self.source.texts is not None:
            text = self.source.texts[row][:_MOST_BRIEF]
        else:
            names = names or self._most_unusual([row], _MOST_BRIEF_COLUMNS)
            cells = [(name, self.shown[name].iloc[row]) for name in names]
            cells = [(name, value) for name, value in cells if pd.notna(value) is True]
            text = ", ".join(_short(name, value) for name, value in cells)
        return {"row": row, "text": text[:_MOST_BRIEF], "image": self.has_image}

    @property
    def has_image(self):
        """Whether rows have pictures."""
        return self.source.images is not None

    def matching(self, rows, words):
        """Rows whose text or columns hold all words, or that have this number."""
        words = words.lower().split()
        if not words:
            return rows.tolist()
        if self._sought is None:
            self._sought = [self._all_text(row) for row in range(self.source.n_rows)]
        numbers = {word[1:] for word in words if word.startswith("#")}
        return [
            row
            for row in rows.tolist()
            if str(row + 1) in numbers
            or (not numbers and all(word in self._sought[row] for word in words))
        ]

    def _all_text(self, row):
        parts = [] if self.source.texts is None else [self.source.texts[row]]
        parts += [self._text(name, row) for name in self.shown]
        return " ".join(part[:_MOST_SOUGHT] for part in parts).lower()


def _identifiers(source):
    """Names of columns that were left out of the features as they identify rows."""
    columns = getattr(source.preparation, "columns_", ())
    return {c.name for c in columns if c.reason.startswith("looks like an identifier")}


def _moments(values):
    """Mean and standard deviation of the finite values."""
    values = values[np.isfinite(values)]
    return (float(values.mean()), float(values.std())) if len(values) else (0.0, 0.0)


def _spread(low, high):
    return max(high - low, 1e-300)


def _share(number, low, high):
    return float(min(max((number - low) / _spread(low, high), 0.0), 1.0))


def _short(name, value):
    if isinstance(value, float | np.floating):
        return f"{name} {value:.4g}"
    return str(value) if isinstance(value, str) else f"{name} {value}"


def _dense(X):
    return X.toarray() if hasattr(X, "toarray") else np.asarray(X)
