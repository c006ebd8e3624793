"""What is known about y.

This is the only module that defines what marks an unlabeled row: -1 in integer
targets (scikit-learn's convention), NaN in float targets, and None, NaN or NA in
object, string, categorical and nullable ones. Higher layers use masks, codes
and signs.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import column_or_1d

from widemargin.checks import warn_of_data
from widemargin.defaults import MANY_CLASSES, MANY_SINGLE_CLASSES, MARK_SHARE

UNLABELED = -1  # the marker of unlabeled rows in integer targets
_PLACEHOLDERS = (  # what people and programs write for a value that is not known
    "", "-", "?", "<na>", "missing", "n/a", "na", "nan", "nat", "none", "not labeled",
    "null", "tbd", "todo", "unknown", "unlabeled", "unlabelled",
)  # fmt: skip


@dataclass(frozen=True)
class PartialLabels:
    """The labels that are known, with the class names replaced by codes.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The class names, sorted.
    labeled : ndarray of bool, shape (n_samples,)
        Which samples carry a label.
    codes : ndarray of int, shape (n_labeled,)
        Position in `classes` of the label of each labeled sample, in sample order.

    Examples
    --------
    >>> from widemargin.labels import read_labels
    >>> labels = read_labels(["a", None, "b"])
    >>> labels.classes.tolist(), labels.labeled_idx.tolist(), labels.codes.tolist()
    (['a', 'b'], [0, 2], [0, 1])
    """

    classes: np.ndarray
    labeled: np.ndarray
    codes: np.ndarray

    @property
    def n_classes(self):
        """Number of distinct labels."""
        return len(self.classes)

    @property
    def n_labeled(self):
        """Number of labeled samples."""
        return len(self.codes)

    @property
    def labeled_idx(self):
        """Positions of the labeled samples."""
        return np.flatnonzero(self.labeled)

    @property
    def placeholders(self):
        """Class names that look like marks of unlabeled samples."""
        return find_placeholders(self.classes.tolist())

    @property
    def likely_mark(self):
        """A class that may mark unlabeled samples: most have it, and all have one.

        None if there is none, or if without it there is no more than one class.
        """
        counts = np.bincount(self.codes)
        is_most = counts.max() > MARK_SHARE * len(self.labeled)
        if not (self.labeled.all() and is_most and self.n_classes > 2):
            return None
        return self.classes[counts.argmax()]

    @property
    def has_zero_mark(self):
        """Whether 0 seems to mark unlabeled samples, beside classes -1 and 1."""
        if self.classes.dtype.kind not in "iu" or self.classes.tolist() != [0, 1]:
            return False
        n_zero, n_one = np.bincount(self.codes).tolist()
        n_marked = len(self.labeled) - self.n_labeled
        # As many -1 as 1, or nearly so
        is_class = 0 < n_marked < 4 * n_one and n_one < 4 * n_marked
        return is_class and n_zero > MARK_SHARE * len(self.labeled)

    @property
    def is_scattered(self):
        """Whether there are many classes, and most labels the only one of theirs."""
        n_single = (np.bincount(self.codes) == 1).sum()
        return self.n_classes > MANY_CLASSES and n_single > 0.5 * self.n_labeled

    @property
    def is_distinct(self):
        """Whether there are more than a few classes, all with a single label."""
        return self.n_labeled == self.n_classes > MANY_SINGLE_CLASSES

    def coded(self):
        """Targets with codes in place of names, unlabeled samples marked as such."""
        targets = np.full(len(self.labeled), UNLABELED)
        targets[self.labeled] = self.codes
        return targets


def find_placeholders(names):
    """Class names that look like marks of unlabeled samples, such as "?"."""
    names = [name for name in names if isinstance(name, str)]
    # "-1" and "1" alone are two classes.
    marks = (*_PLACEHOLDERS, *[str(UNLABELED)] * (len(names) > 2))
    return [name for name in names if name.strip().lower() in marks]


def read_labels(y, used=None):
    """Separate what is known in y from what is not.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Targets of any type. Unlabeled is -1 for integers, NaN for floats, and
        None, NaN or NA for object, string, categorical and nullable targets.
    used : ndarray of bool, shape (n_samples,), or of positions, optional
        Samples to read; the others are ignored.

    Returns
    -------
    PartialLabels

    Raises
    ------
    ValueError
        If fewer than two classes are labeled, or the values cannot be classes.

    Examples
    --------
    >>> labels = read_labels(["cat", None, "dog", None])
    >>> labels.classes.tolist(), labels.labeled.tolist(), labels.codes.tolist()
    (['cat', 'dog'], [True, False, True, False], [0, 1])
    """
    y = _as_array(y)
    n_given, y = len(y), y if used is None else y[used]
    labeled = _labeled_mask(y)
    values = _comparable(y[labeled])
    _refuse_continuous(values)
    classes, codes = np.unique(values, return_inverse=True)
    if len(classes) < 2:
        message = _too_few_classes(classes, y)
        if n_left_out := n_given - len(y):
            message += (
                f" Samples of weight zero or of no class are left out ({n_left_out:,})."
            )
        raise ValueError(message)
    labels = PartialLabels(classes, labeled, codes)
    _warn_of_doubts(labels)
    return labels


def labeled_mask(y):
    """Which entries of y carry a label.

    >>> labeled_mask([0, 1, -1]).tolist(), labeled_mask([0.0, float("nan")]).tolist()
    ([True, True, False], [True, False])
    """
    return _labeled_mask(_as_array(y))


def refuse_unlabeled(y, who):
    """Raise ValueError if an entry of y carries no label; `who` names it.

    Examples
    --------
    >>> from widemargin.labels import refuse_unlabeled
    >>> refuse_unlabeled([0, 1, 1], "y of my score")  # no error
    """
    labeled = labeled_mask(y)
    if not labeled.all():
        raise ValueError(
            f"{who} must hold known labels only, got {(~labeled).sum():,} unlabeled of "
            f"{len(labeled):,} samples; leave them out of X and y, score with "
            "labeled_scorer(), or cross-validate with cv=SemiSupervisedSplit(2), both "
            "of widemargin.model_selection."
        )


def known_names(y, used=None):
    """The labels that y holds, in sample order; unlike `read_labels`, of any classes.

    >>> known_names([1, None, 1]), known_names([0, 1, -1], [True, False, True])
    (array([1, 1]), array([0]))
    """
    y = _as_array(y)
    y = y if used is None else y[used]
    return _comparable(y[_labeled_mask(y)])


def has_label(y, label):
    """Which entries of y are this label, which must not mark unlabeled; none for None.

    >>> has_label(["cat", None, "junk"], "junk").tolist()
    [False, False, True]
    """
    y = _as_array(y)
    if label is None:
        return np.zeros(len(y), dtype=bool)
    if not _labeled_mask(_as_array([label])).all():
        raise ValueError(
            f"{label!r} marks an unlabeled sample; use another value for a label."
        )
    # a missing value cannot be compared
    pairs = zip(_labeled_mask(y), y, strict=True)
    return np.fromiter((known and bool(v == label) for known, v in pairs), bool, len(y))


def hide(y, hidden):
    """Copy of y in which the `hidden` entries, a mask, are marked as unlabeled.

    The marker follows the type of y: -1 for integers, NaN for floats, None for
    everything else; arrays that cannot hold their marker (strings, booleans,
    unsigned integers) become object or signed ones. A pandas Series stays one.

    >>> hide([3, 5, 3], [False, True, False])
    array([ 3, -1,  3])
    """
    hidden = np.asarray(hidden, dtype=bool)
    if hasattr(y, "iloc"):  # a pandas Series
        if isinstance(y.dtype, np.dtype):
            return type(y)(hide(y.to_numpy(), hidden), index=y.index, name=y.name)
        values = _as_array(y)
        # A nullable column of integers may use either marker; both would be refused.
        uses_integer_marker = values.dtype.kind == "i" and (values == UNLABELED).any()
        return y.mask(hidden, UNLABELED if uses_integer_marker else None)
    y = np.array(_as_array(y))
    if y.dtype.kind == "u":
        y = y.astype(np.int64)
    elif y.dtype.kind not in "if":
        y = y.astype(object)
    y[hidden] = {"i": UNLABELED, "f": np.nan}.get(y.dtype.kind)
    return y


def sign_coding(codes, n_classes):
    """One-vs-rest targets -1 and +1, (n, n_classes); one column for two classes.

    With two classes the second one, as in scikit-learn, is the positive one.

    >>> sign_coding(np.array([0, 2]), 3)
    array([[ 1., -1., -1.],
           [-1., -1.,  1.]])
    """
    signs = np.where(codes[:, None] == np.arange(n_classes), 1.0, -1.0)
    return signs[:, 1:] if n_classes == 2 else signs


def both_columns(scores, factor=1.0):
    """One-vs-rest scores, (..., n_columns), with a column for each class.

    Of a single column f, these are -f and f times the factor: 0.5 where a softmax is to
    give the probability 1 / (1 + exp(-f)), which depends on the difference; 1 where
    each class against the rest counts.

    >>> both_columns(np.array([[0.3], [-0.1]]))
    array([[-0.3,  0.3],
           [ 0.1, -0.1]])
    """
    if scores.shape[-1] > 1:
        return scores
    return factor * np.concatenate([-scores, scores], axis=-1)


def decide(scores):
    """Class codes for one-vs-rest scores (n, n_columns): `sign_coding` undone.

    >>> decide(np.array([[0.3, -1.0, 0.9], [0.1, -0.2, -0.4]])).tolist()
    [2, 0]
    """
    if scores.shape[1] == 1:
        return (scores[:, 0] > 0).astype(np.intp)
    return scores.argmax(axis=1)


def margins(scores, codes):
    """How far each score is on the right side, (n,), from one-vs-rest scores.

    With one column the score times the sign of the class; with several, half of what
    the true class is ahead of the best other one.

    >>> margins(np.array([[0.5], [0.5]]), np.array([1, 0])).tolist()
    [0.5, -0.5]
    """
    if scores.shape[1] == 1:
        return scores[:, 0] * sign_coding(codes, 2)[:, 0]
    rows = np.arange(len(codes))
    others = scores.copy()
    others[rows, codes] = -np.inf
    return 0.5 * (scores[rows, codes] - others.max(axis=1))


def _as_array(y):
    """One-dimensional array of y; integers without gaps become an integer array."""
    if y is None:
        raise ValueError(
            "requires y to be passed, but the target y is None. Mark unlabeled "
            f"samples with {UNLABELED} (integers) or a missing value."
        )
    if hasattr(y, "dtype") and not isinstance(y.dtype, np.dtype):
        # nullable, categorical and string columns: values as they are, gaps kept
        values, y = list(y), np.empty(len(y), dtype=object)
        y[:] = values
    if isinstance(y, list | tuple):
        _refuse_containers(y, (tuple, set, frozenset, dict))
    if isinstance(y, list | tuple) and not all(isinstance(value, str) for value in y):
        # NumPy would write out a NaN among strings as "nan", and round long integers.
        array = np.asarray(y)
        is_rounded = array.dtype.kind == "f" and all(map(_is_integer, y))
        is_changed = array.dtype.kind in "US" or is_rounded
        y = np.asarray(y, dtype=object) if is_changed else array
    y = np.asarray(y)
    if y.dtype.kind == "O" and y.ndim == 1:
        _refuse_containers(y, (tuple, set, frozenset, dict, list, np.ndarray))
    y = column_or_1d(y, warn=True)
    if y.dtype.kind == "O" and len(y) and all(map(_is_integer, y)):
        if not all(-(2**63) <= value < 2**63 for value in y):
            _refuse_long(y)
        return y.astype(np.int64)
    return y


def _refuse_containers(y, kinds):
    """A class is one name; lists of one value each are left to scikit-learn."""
    for value in y:
        if isinstance(value, kinds):
            raise ValueError(
                f"y holds {value!r} ({type(value).__name__}), but a class is one name; "
                "use strings or numbers, such as '_'.join(map(str, label))."
            )


def _refuse_long(values):
    raise ValueError(
        f"y holds the number {max(values, key=abs)}, which has more than 64 bits; use "
        "strings as class names."
    )


def _is_integer(value):
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _labeled_mask(y):
    if y.dtype.kind in "iu":
        return y != UNLABELED
    if y.dtype.kind == "f":
        return ~np.isnan(y)
    if y.dtype.kind == "O":
        return ~np.fromiter((_is_missing(value) for value in y), bool, len(y))
    return np.ones(len(y), dtype=bool)


def _is_missing(value):
    # By name, because pandas is imported only if the user's data need it.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def _comparable(values):
    """Labeled values of object type as an array that can be sorted."""
    if values.dtype.kind != "O":
        return values
    kinds = {type(value) for value in values}
    if all(issubclass(kind, str) for kind in kinds):
        return values
    if len({_family(kind) for kind in kinds}) > 1:
        names = sorted(kind.__name__ for kind in kinds)
        raise ValueError(
            f"y mixes labels of different types, got {', '.join(names)}; convert all "
            "of them to strings or all to numbers, and mark unlabeled samples among "
            "strings with None."
        )
    # One numeric type for Python and NumPy numbers, with which classes are sorted.
    given, values = values, np.array(values.tolist())
    if values.dtype.kind == "O" and all(map(_is_integer, given)):
        _refuse_long(given)
    if values.dtype.kind == "f" and len(set(given)) != len(np.unique(values)):
        raise ValueError(
            "y holds numbers that floats cannot distinguish, such as "
            f"{max(given, key=abs)!r}; use strings, or integers only."
        )
    if values.dtype.kind in "iu" and (values == UNLABELED).any():
        raise ValueError(
            f"y holds missing values and the integer {UNLABELED}, which both mark an "
            "unlabeled sample; use one of them, or name the classes with strings."
        )
    return values


def _family(kind):
    """Types that may stand side by side as class names."""
    if issubclass(kind, bool | np.bool_):
        return bool
    return float if issubclass(kind, int | float | np.number) else kind


def _refuse_continuous(values):
    if values.dtype.kind not in "biufUSO":
        raise ValueError(
            f"Unknown label type: y has dtype {values.dtype}; "
            "use integers, floats or strings as class names."
        )
    if values.dtype.kind == "f" and not np.array_equal(values, np.rint(values)):
        raise ValueError(
            "Unknown label type: continuous. y holds values such as "
            f"{values[values != np.rint(values)][0]:g}; classes must be whole numbers "
            "or names."
        )
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise ValueError("y contains infinity; classes must be whole numbers or names.")


def _too_few_classes(classes, y):
    if not len(classes) and len(y):
        mark = f"are {UNLABELED}" if y.dtype.kind in "iu" else "are missing"
        return (
            "y must hold at least two labeled classes, but it has no labels: all "
            f"{len(y):,} values {mark}, which marks an unlabeled sample. "
            "widemargin.suggest_rows(X) proposes rows to label, widemargin.label(X) "
            "opens a page to label them on, and MaxMarginClustering needs no labels."
        )
    noun = "class" if len(classes) == 1 else "classes"
    message = (
        f"y must hold at least two labeled classes, got {len(classes)} {noun} "
        f"({classes.tolist()})."
    )
    if y.dtype.kind not in "iu":
        return f"{message} A missing value marks an unlabeled sample."
    message = f"{message} The value {UNLABELED} marks an unlabeled sample"
    if classes.tolist() == [1] and (y == UNLABELED).any():
        return f"{message}; recode -1/+1 targets as (y > 0).astype(int)."
    return f"{message}."


def _warn_of_doubts(labels):
    """Warn of classes that may be none, and of targets that may be no classes."""
    names = labels.classes.tolist()
    is_float = labels.classes.dtype.kind == "f" and labels.labeled.all()
    # -1.0 and +1.0 alone are two classes.
    if is_float and len(names) > 2 and names[0] == UNLABELED:
        warn_of_data(
            "y holds the float -1.0 and no NaN: -1.0 is read as a class. If it marks "
            "unlabeled samples, pass y.astype(int) or use NaN."
        )
    if labels.placeholders:
        warn_of_data(
            f"y holds the text {labels.placeholders[0]!r}, which is read as a class. "
            "If it marks unlabeled samples, pass an object array with None in their "
            "place; if it is a class, rename it."
        )
    mark = labels.likely_mark
    if isinstance(mark, str) and mark not in labels.placeholders:
        warn_of_data(
            f"y holds {str(mark)!r} in more than {MARK_SHARE:.0%} of the samples, and "
            "no sample is unlabeled. If it marks unlabeled samples, pass an object "
            "array with None in their place."
        )
    if labels.has_zero_mark:
        warn_of_data(
            f"y is 0 in most samples and {UNLABELED} in few, but {UNLABELED} marks an "
            "unlabeled sample. If the classes are -1 and 1, and 0 marks unlabeled "
            f"samples, pass np.where(y == 0, {UNLABELED}, y > 0)."
        )
    if labels.is_scattered:
        warn_of_data(
            f"y has too many classes for its labels, {labels.n_classes:,} classes and "
            f"{labels.n_labeled:,} labels: most labels are the only one of their "
            "class, like numbers or identifiers. Divide numbers into a few intervals, "
            "choose another target, or label more rows of each class."
        )
    elif labels.is_distinct:
        warn_of_data(
            f"y has {labels.n_classes:,} different labels in {labels.n_labeled:,} "
            "labeled rows; if these are identifiers or numbers, choose another "
            "target, otherwise label more rows of each class."
        )
