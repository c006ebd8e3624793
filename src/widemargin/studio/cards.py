"""What a person sees of a row: its picture, its text, or its columns."""

import numpy as np
import pandas as pd

from widemargin.studio.live import NO_CLASS
from widemargin.studio.state import Refusal

MOST_TEXT = 20_000  # characters of a text on a card; a cell shows fewer
_MOST_CELL, _MOST_BRIEF, _MOST_SOUGHT = 500, 160, 5_000
_MOST_COLUMNS = 30


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
        self._numbers = {}
        for name in self.shown:
            values = self.shown[name]
            if pd.api.types.is_numeric_dtype(values) and values.notna().any():
                values = values.to_numpy(dtype=float, na_value=np.nan)
                low, high = np.nanpercentile(values, [1, 99])
                self._numbers[name] = values, float(low), float(high)
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
        means = self._class_means(snapshot, len(classes))
        columns = [self._cell(name, row, means) for name in self.shown]
        columns.sort(key=lambda cell: -cell.pop("rank"))
        order = {name: i for i, name in enumerate(self.shown)}
        card["n_columns"], columns = len(columns), columns[:_MOST_COLUMNS]
        card["columns"] = sorted(columns, key=lambda cell: order[cell["name"]])
        return card

    def _cell(self, name, row, means):
        value, cell = self.shown[name].iloc[row], {"name": name, "rank": 0.0}
        if name not in self._numbers:
            text = "" if pd.isna(value) is True else str(value)
            return {**cell, "value": text[:_MOST_CELL], "rank": 1.0}
        values, low, high = self._numbers[name]
        number, spread = float(values[row]), max(high - low, 1e-300)
        if np.isnan(number):
            return {**cell, "value": ""}
        cell["value"] = f"{number:.6g}"
        if high > low:
            cell["at"] = _share(number, low, spread)
            cell["means"] = [
                None if np.isnan(mean) else _share(mean, low, spread)
                for mean in means.get(name, ())
            ]
        cell["rank"] = abs(number - (low + high) / 2) / spread
        return cell

    def _class_means(self, snapshot, n_classes):
        """Mean of each numeric column over the rows of each class, kept for a while."""
        place, means = self._means
        if place == (snapshot.place, n_classes):
            return means
        known, means = snapshot.codes != NO_CLASS, {}
        if known.any() and n_classes:
            codes = np.minimum(snapshot.codes[known], n_classes - 1).astype(int)
            for name, (values, _, _) in list(self._numbers.items())[:200]:
                own = values[known]
                is_number = ~np.isnan(own)
                counts = np.bincount(codes[is_number], minlength=n_classes)
                sums = np.bincount(codes[is_number], own[is_number], n_classes)
                with np.errstate(invalid="ignore"):
                    means[name] = (sums / counts).tolist()
        self._means = (snapshot.place, n_classes), means
        return means

    def brief(self, row):
        """A row in a line."""
        row = int(row)
        if self.source.texts is not None:
            text = self.source.texts[row][:_MOST_BRIEF]
        else:
            cells = [
                (name, self.shown[name].iloc[row]) for name in list(self.shown)[:6]
            ]
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
        parts += [str(value) for value in self.shown.iloc[row]]
        return " ".join(part[:_MOST_SOUGHT] for part in parts).lower()


def _share(number, low, spread):
    return float(np.clip((number - low) / spread, 0.0, 1.0))


def _short(name, value):
    if isinstance(value, float | np.floating):
        return f"{name} {value:.4g}"
    return str(value) if isinstance(value, str) else f"{name} {value}"


def _dense(X):
    return X.toarray() if hasattr(X, "toarray") else np.asarray(X)
