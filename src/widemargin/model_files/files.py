"""Save and load fitted models."""

import warnings
from pathlib import Path

from sklearn.utils.validation import check_is_fitted

from widemargin._version import __version__
from widemargin.model_files.errors import ModelFileError
from widemargin.model_files.writing import write_whole


def save(model, path):
    """Write a fitted model to a file from which `load` makes it again.

    The file holds what prediction needs: parameters, the kernel, and the training rows
    that the model compares new ones with (support vectors or landmarks), in the type
    that they have. It does not hold ``transduction_``, ``labels_``, ``relevance_``,
    ``choice_``, ``held_out_proba_``, nor other arrays with an entry for each training
    sample. A `FewLabelClassifier` is stored with its ``report_``, if all of its
    candidates are machines of widemargin.

    Parameters
    ----------
    model : estimator of widemargin, or Pipeline that ends with one
        Fitted. The steps before it may be scikit-learn's scalers, imputers, encoders,
        PCA, TruncatedSVD and text vectorizers, also in a ColumnTransformer.
    path : str or Path
        An existing file is replaced, and is whole at any time: a crash leaves the old
        one.

    Raises
    ------
    ModelFileError
        If the model holds a function, a random generator or another type that `load`
        would refuse; nothing is written then.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import widemargin
    >>> from widemargin.datasets import hide_labels, make_two_moons
    >>> X, y = make_two_moons(100, random_state=0)
    >>> model = widemargin.LaplacianSVC().fit(X, hide_labels(y, 6, rng=0))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     widemargin.save(model, Path(folder) / "moons.wm")
    ...     again = widemargin.load(Path(folder) / "moons.wm")
    >>> bool((again.predict(X) == model.predict(X)).all())
    True
    """
    from widemargin.model_files.contents import to_bytes  # takes time to import

    check_is_fitted(model)
    try:
        data = to_bytes(model)
    except ModelFileError as error:
        raise ModelFileError(
            f"{type(model).__name__} cannot be saved: it {error}. Model files hold "
            "machines of widemargin, alone or after scikit-learn's scalers, imputers, "
            "encoders, PCA, TruncatedSVD and text vectorizers, without functions of "
            "one's own."
        ) from None
    write_whole(path, data)


def load(path):
    """Make a model again from a file that `save` wrote.

    Nothing in a file is run: its types are compared with a list of the machines of
    widemargin, the steps of scikit-learn that `save` names, arrays and plain values,
    before anything is made of it.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    estimator
        Its predictions equal those of the saved model; ``privacy_`` is a sentence on
        the training rows inside.

    Raises
    ------
    ModelFileError
        A ValueError: the file is damaged, or holds what it must not.

    Warns
    -----
    UserWarning
        If another version of widemargin wrote the file; scikit-learn warns about its
        own steps.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import widemargin
    >>> from widemargin.datasets import hide_labels, make_two_moons
    >>> X, y = make_two_moons(100, random_state=0)
    >>> model = widemargin.LaplacianSVC().fit(X, hide_labels(y, 6, rng=0))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     widemargin.save(model, Path(folder) / "moons.wm")
    ...     again = widemargin.load(Path(folder) / "moons.wm")
    >>> again.privacy_
    '100 training rows are inside: whoever has the file can read all features ...'
    """
    from widemargin.model_files.contents import from_bytes  # takes time to import

    data = Path(path).read_bytes()
    try:
        model, versions = from_bytes(data)
    except ModelFileError as error:
        raise ModelFileError(
            f"{path} is not a model file that can be trusted: it {error}."
        ) from error
    _warn_of_version(path, versions)
    return model


def _warn_of_version(path, versions):
    written = versions.get("widemargin")
    if written != __version__:
        warnings.warn(
            f"{path} was saved by widemargin {written} and is loaded by {__version__}; "
            "predictions may differ. Fit and save the model again.",
            UserWarning,
            stacklevel=3,
        )
