"""Read the data sets of the papers from a folder of NumPy archives."""

import os
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.utils import Bunch

_VARIABLE = "WIDEMARGIN_DATA"
_PUBLISHED = (
    "coil20, coil20_400, facemit, g50c, ionosphere, iris, letter, mnist, pcmac, pima, "
    "ringnorm, splice, thyroid, usps, uspst, waveform"
)
_NEW_NAMES = {"y": "target", "y3": "target3"}
_DENSE = {"X"}
_SPARSE = {"X_data", "X_indices", "X_indptr", "X_shape"}
_FEATURE_FIELDS = _DENSE | _SPARSE | {"scale", "offset"}


def list_sets(folder=None):
    """Names that `load_set` accepts, sorted.

    Parameters
    ----------
    folder : path-like, default=None
        Folder of the archives; by default the one that the environment variable
        ``WIDEMARGIN_DATA`` names.

    Returns
    -------
    list of str

    Raises
    ------
    FileNotFoundError
        If no folder is given or it does not exist.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from widemargin_bench import list_sets
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(Path(folder) / "mine.npz", X=np.eye(2), y=np.array([0, 1]))
    ...     list_sets(folder)
    ['mine']
    """
    return sorted(path.stem for path in _data_folder(folder).glob("*.npz"))


def load_set(name, *, folder=None, dtype=np.float64):
    """Read one set.

    The data do not come with the package: the folder holds one archive
    ``<name>.npz`` for each set.

    Parameters
    ----------
    name : str
        Name of the set, one of `list_sets`.
    folder : path-like, default=None
        Folder of the archives; by default the one that the environment variable
        ``WIDEMARGIN_DATA`` names.
    dtype : {numpy.float64, numpy.float32}, default=numpy.float64
        Type of `data`.

    Returns
    -------
    sklearn.utils.Bunch
        With the fields

        - `data`: ndarray or, for sparse sets, CSR matrix of shape
          (n_samples, n_features), the published values;
        - `target`: ndarray of int, shape (n_samples,). Classes published as -1 and +1
          (g50c, pcmac, ringnorm, splice, thyroid, waveform) are recoded as 0 and 1,
          ``(y > 0).astype(int)``; all others are as published;
        - `target3`: three classes where `target` is their two-class version;
        - `splits_labeled`: the published sets of labeled rows, one per row;
        - `split_labeled_ida`: the training rows of one published realization;
        - `train_size`: number of leading rows that are the original training part;
        - `shape`: height and width of the images in the rows of `data`;
        - `pose`: the number of the view of an object.

        Fields other than `data` and `target` exist only where the set has them.

    Raises
    ------
    FileNotFoundError
        If no folder is given, or it does not hold the set.

    Notes
    -----
    An archive holds ``y`` and either ``X``, optionally with numbers ``scale`` and
    ``offset`` (the published values are ``X * scale + offset``), or the parts
    ``X_data``, ``X_indices``, ``X_indptr``, ``X_shape`` of a CSR matrix. All its other
    fields are passed on. Nothing in it is ever unpickled.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from widemargin_bench import load_set
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(Path(folder) / "mine.npz", X=np.eye(2), y=np.array([-1, 1]))
    ...     mine = load_set("mine", folder=folder)
    >>> mine.data.shape, mine.target.tolist()
    ((2, 2), [0, 1])
    """
    if np.dtype(dtype) not in (np.float64, np.float32):
        raise ValueError(
            f"dtype of load_set must be float64 or float32, got {dtype!r}."
        )
    path = _archive_path(name, folder)
    with np.load(path, allow_pickle=False) as archive:
        fields = dict(archive)
    _check_fields(fields, path)
    bunch = Bunch(data=_read_features(fields, dtype))
    for field, value in fields.items():
        if field not in _FEATURE_FIELDS:
            bunch[_NEW_NAMES.get(field, field)] = _plain(value)
    bunch.target = _without_negative_class(bunch.target)
    if "shape" in bunch:
        bunch.shape = tuple(bunch.shape.tolist())
    return bunch


def _data_folder(folder):
    """Find the folder of the archives, in the argument or the environment."""
    folder = folder or os.environ.get(_VARIABLE)
    if not folder:
        raise FileNotFoundError(
            "The papers' data do not come with widemargin: pass folder=... or set "
            f"the environment variable {_VARIABLE} to a folder of .npz archives. "
            f"The papers' sets are {_PUBLISHED}."
        )
    if not Path(folder).is_dir():
        raise FileNotFoundError(
            f"There is no folder {str(folder)!r} for the papers' data; pass another "
            f"folder=... or set the environment variable {_VARIABLE}."
        )
    return Path(folder)


def _archive_path(name, folder):
    """Path of the archive; only names that the folder lists are accepted."""
    folder = _data_folder(folder)
    available = list_sets(folder)
    if name not in available:
        raise FileNotFoundError(
            f"There is no set {name!r} in {str(folder)!r}, which holds "
            f"{', '.join(available) or 'no .npz archive'}; choose one of them, pass "
            f"another folder=... or set the environment variable {_VARIABLE}."
        )
    return folder / f"{name}.npz"


def _check_fields(fields, path):
    if "y" in fields and (fields.keys() >= _DENSE or fields.keys() >= _SPARSE):
        return
    raise ValueError(
        f"{str(path)!r} is no archive of a set: it must hold y and X, or y and "
        f"{', '.join(sorted(_SPARSE))}, but its fields are {', '.join(fields)}."
    )


def _read_features(fields, dtype):
    """Restore the published values, in place because some sets are large."""
    if "X" not in fields:
        parts = (fields["X_data"], fields["X_indices"], fields["X_indptr"])
        return sparse.csr_matrix(parts, shape=fields["X_shape"], dtype=dtype)
    X = fields["X"].astype(dtype)
    X *= fields.get("scale", 1.0)
    X += fields.get("offset", 0.0)
    return X


def _plain(value):
    """Replace an array without dimensions by the number in it."""
    return value.item() if value.ndim == 0 else value


def _without_negative_class(y):
    """Recode classes -1 and +1 as 0 and 1; other classes stay as they are."""
    return (y > 0).astype(int) if y.min() < 0 else y


def load_components(n_components=50):
    """Principal components and classes of MNIST: training rows, then test rows."""
    from sklearn.decomposition import PCA

    data = load_set("mnist", dtype=np.float32)
    n_rows, X = data.train_size, data.data / np.float32(255)
    pca = PCA(n_components, random_state=0).fit(X[:n_rows])
    X, y = pca.transform(X), data.target
    return X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:]
