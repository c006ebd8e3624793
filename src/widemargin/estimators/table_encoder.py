"""A table of mixed columns as features."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from widemargin.checks import is_table, refuse, warn_of_data
from widemargin.estimators._estimator import Estimator
from widemargin.labels import labeled_mask
from widemargin.stored import require

_USES = "numeric", "categorical", "text", "dates", "drop"
# `widemargin.tables` is imported where it is used: it needs pandas, which takes time.


@dataclass(kw_only=True, eq=False, repr=False)
class TableEncoder(TransformerMixin, Estimator):
    """Turn a table with columns of numbers, dates, categories and text into features.

    The encoder looks at each column and decides what it holds:

    ==========  ====================================================================
    numbers     also with a currency, a percent sign, thousands separators or a
                decimal comma: scaled to mean zero and variance one; missing values
                become the median
    dates       days since 1970, and month, weekday and hour if they vary
    categories  up to 100 different texts: one feature per category
    text        more than 20 different texts, usually of three or more words, or more
                than 100 that occur repeatedly: TF-IDF weights of the words
    left out    empty and constant columns, identifiers, columns that are filled in only
                with the label, and predictions that `widemargin` added to the table
    ==========  ====================================================================

    ``FewLabelClassifier`` encodes data frames automatically. Use this class in a
    pipeline before other estimators, or to set what columns hold.

    Parameters
    ----------
    numeric, categorical, text, dates : list of str, default=()
        Columns of this kind, whatever they look like.
    drop : list of str, default=()
        Columns to leave out.
    day_first : bool or None, default=None
        Whether "1/2/2024" is 1 February. By default, the column shows it: "31/1/2024"
        has the day first. If it does not, the month comes first, and a note says so.

    Attributes
    ----------
    columns_ : list of Column
        Name and kind of each column, the reason if it is left out, and a note on
        anything unexpected; print `describe()` to see them.
    features_ : list
        The fitted encoding of each column that is used.
    n_features_in_ : int
        Number of columns of the table.
    feature_names_in_ : ndarray of str
        Their names.

    Examples
    --------
    >>> import pandas as pd
    >>> from widemargin import TableEncoder
    >>> table = pd.DataFrame(
    ...     {
    ...         "price": ["$1,200", "$80", None, "$150"],
    ...         "sold": ["2024-01-31", "2024-03-01", "2024-03-05", "2024-03-01"],
    ...         "color": ["red", "blue", "red", None],
    ...     }
    ... )
    >>> encoder = TableEncoder().fit(table)
    >>> encoder.transform(table).shape
    (4, 7)
    >>> print(encoder.describe())
    column    used as  features                      note
     price    numbers         1 '$1,200' is read as 1200
      sold      dates         3
     color categories         3
    """

    numeric: list | tuple = ()
    categorical: list | tuple = ()
    text: list | tuple = ()
    dates: list | tuple = ()
    drop: list | tuple = ()
    day_first: bool | None = None

    saved_state = ("columns_", "features_")

    def fit(self, X, y=None, *, columns=None):
        """Decide what the columns of a table hold, and learn their encoding.

        If the kinds are already decided, pass them as `columns`, a list of `Column`.
        Labels y only serve to find columns that are copies of them: a warning names
        these, and those that are filled in only where y has a label are left out.
        """
        from widemargin.tables.columns import Kind, examine_columns
        from widemargin.tables.encodings import FEATURES
        from widemargin.tables.targets import warn_of_copies

        frame = self._read(X, reset=True)
        if columns is None:
            if self.day_first not in (None, True, False):
                refuse(self, "day_first", "True, False or None")
            uses = {use: _as_names(getattr(self, use)) for use in _USES}
            labeled = None
            if is_table(X) and np.shape(y) == (len(frame),):
                labeled = labeled_mask(y)
            options = {"name": "X", "dropped_by": "drop", "labeled": labeled}
            options["day_first"] = self.day_first
            columns = examine_columns(frame, **options, **uses)
            _warn_of_filled(columns)
            kinds = [each.kind for each in columns]
            used = [i for i, kind in enumerate(kinds) if kind is not Kind.LEFT_OUT]
            warn_of_copies(X, y, used)
        self.columns_ = columns
        self.features_ = [
            FEATURES[column.kind].fit(column, frame[column.name])
            for column in self.columns_
            if column.kind is not Kind.LEFT_OUT
        ]
        return self

    def transform(self, X):
        """The features of the rows of a table, an array or, with text, a CSR matrix.

        Columns may come in any order; columns that the encoder does not use may be
        missing, and others are ignored.
        """
        from widemargin.tables.encodings import encode
        from widemargin.tables.errors import check_fitted

        check_is_fitted(self, "features_")
        frame = self._read(X, reset=False)
        check_fitted([f.name for f in self.features_], frame, "X", "TableEncoder")
        return encode(self.features_, frame)

    def _read(self, X, *, reset):
        """The columns by name; those of an array are x0, x1 and so on."""
        import pandas as pd

        from widemargin.tables.columns import as_frame
        from widemargin.tables.errors import TableError

        if not is_table(X):
            options = {"dtype": None, "ensure_all_finite": "allow-nan"}
            X = validate_data(
                self, X, reset=reset, ensure_min_samples=1 + reset, **options
            )
            names = [f"x{i}" for i in range(X.shape[1])]
            return pd.DataFrame(X, columns=names).infer_objects()
        frame = as_frame(X)
        if reset:
            validate_data(self, frame, skip_check_array=True)
        if len(frame) < 1 + reset:
            raise TableError(
                f"X of TableEncoder must have at least {1 + reset} rows, got "
                f"{len(frame)}."
            )
        return frame

    def get_feature_names_out(self, input_features=None):
        """Names of the features: that of the column, with category, word or part."""
        check_is_fitted(self, "features_")
        names = [name for feature in self.features_ for name in feature.feature_names]
        return np.array(names, dtype=object)

    def frame(self):
        """What was done with each column, as a :class:`pandas.DataFrame`."""
        import pandas as pd

        check_is_fitted(self, "features_")
        counts = {f.name: len(f.feature_names) for f in self.features_}
        lines = [
            (each.name, each.kind.value, counts.get(each.name, 0), _note(each))
            for each in self.columns_
        ]
        return pd.DataFrame(lines, columns=["column", "used as", "features", "note"])

    def describe(self):
        """What was done with each column, as text to print: all of `frame`."""
        return self.frame().to_string(index=False)

    def empty_row(self):
        """A table with one row, whose cells are missing."""
        import pandas as pd

        return pd.DataFrame({f.name: [None] for f in self.features_}, dtype=object)

    def check_state(self):
        """Raise ValueError unless columns and features, read from a file, fit."""
        from widemargin.tables.columns import Column
        from widemargin.tables.encodings import FEATURES

        super().check_state()
        is_list = isinstance(self.columns_, list) and isinstance(self.features_, list)
        require(is_list, self, "columns_")
        require(
            all(isinstance(each, Column) for each in self.columns_), self, "columns_"
        )
        kinds = tuple(FEATURES.values())
        fits = self.features_ and all(isinstance(f, kinds) for f in self.features_)
        require(fits, self, "features_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        return tags


def _warn_of_filled(columns):
    """Warn of columns that are left out because they are filled in with the label."""
    from widemargin.tables.columns import FILLED_WITH_LABEL
    from widemargin.tables.errors import listed

    names = [each.name for each in columns if each.reason == FILLED_WITH_LABEL]
    if names:
        one = len(names) == 1
        warn_of_data(
            f"The column{'' if one else 's'} {listed(names)} of X "
            f"{'is' if one else 'are'} filled in almost only where y has a label, like "
            f"a copy of y, and {'is' if one else 'are'} left out. To use "
            f"{'it' if one else 'them'}, list {'it' if one else 'them'} in a parameter "
            "of TableEncoder, such as categorical."
        )


def _as_names(names):
    """Names of columns as text, as those of the table; also a single one."""
    return [str(name) for name in ([names] if isinstance(names, str) else names)]


def _note(column):
    return column.reason or column.note
