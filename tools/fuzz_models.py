"""Load damaged model files whose checksums are right: python tools/fuzz_models.py.

Each of 5,000 files must be refused with a ModelFileError, or predict finite
probabilities. Prints how many were, by the kind of damage, and what went wrong.
"""

import argparse
import io
import json
import signal
import sys
import tempfile
import warnings
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_blobs
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)

from widemargin import LaplacianSVC, SelfLabelingGPC, TableEncoder, TransductiveSVC
from widemargin.cli.methods import list_offers
from widemargin.kernels import ArdRbf, Cosine, Laplacian, Linear, Polynomial
from widemargin.model_files import ModelFileError, load, save

PATIENCE = 30  # seconds for a load and its predictions
TREE = "model.json"
NUMBERS = (
    0,
    -1,
    1,
    2,
    -0.5,
    1e-320,
    1e-30,
    1e30,
    1e308,
    -1e308,
    2**31,
    2**63,
    -(2**63),
)
VALUES = (*NUMBERS, float("nan"), float("inf"), -float("inf"), "", "a", "(a+)+$", None)
VALUES = (*VALUES, True, False, [], [1], {"tuple": []}, {"array": "0.npy"})
REFUSED, FINITE = "refused", "finite"


def make_models():
    """Fitted models by name, each with rows that it must predict."""
    X, y = make_blobs(60, n_features=3, centers=3, random_state=0)
    rng = np.random.default_rng(1)
    rows = np.vstack([X[:5], rng.normal(size=(5, 3)), 1e3 * rng.normal(size=(3, 3))])
    rows = np.vstack([rows, np.zeros((1, 3))])
    partly = np.where(np.arange(60) % 4 == 0, y, -1)
    models = {}
    for n_classes in (2, 3):
        given = np.where(partly < n_classes, partly, -1)
        for name, offer in list_offers("classify").items():
            models[f"{name}, {n_classes}"] = offer.make(0, {}).fit(X, given), rows
    for name, offer in list_offers("cluster").items():
        models[name] = offer.make(0, {}, n_clusters=3).fit(X), rows
    names = np.array(["no", "maybe", "yes"], dtype=object)[y]
    names[partly < 0] = None
    kernels = Linear(), Polynomial(degree=2), Laplacian(), Cosine(), ArdRbf(np.ones(3))
    for kernel in kernels:
        for estimator in (LaplacianSVC(), TransductiveSVC(), SelfLabelingGPC()):
            model = clone(estimator).set_params(kernel=kernel)
            models[f"{type(kernel).__name__} {estimator!r}"] = model.fit(X, names), rows
    model = LaplacianSVC(landmarks=10).fit(X, partly)
    models["landmarks"] = model, rows
    model = LaplacianSVC().fit(sparse.csr_matrix(X), partly)
    models["sparse"] = model, sparse.csr_matrix(rows)
    steps = MinMaxScaler(), MaxAbsScaler(), RobustScaler(), Normalizer(), PCA(2)
    for step in (*steps, StandardScaler(), PCA(2, whiten=True), TruncatedSVD(2)):
        model = make_pipeline(step, TransductiveSVC()).fit(X, partly)
        models[f"{type(step).__name__}"] = model, rows
    models |= _models_of_tables(X, partly) | _models_of_texts()
    return models


def _models_of_tables(X, partly):
    frame = pd.DataFrame(X, columns=list("abc"))
    frame["color"] = np.where(X[:, 0] > 0, "red", "blue")
    frame.loc[::7, ["a", "color"]] = None
    frame["sold"] = pd.date_range("2024-01-01", periods=len(X), freq="5D").astype(str)
    frame["review"] = [
        f"the {color} cup is {i % 4}5 years old"
        for i, color in enumerate(frame["color"])
    ]
    table = make_pipeline(TableEncoder(text=["review"]), TransductiveSVC())
    encode_numbers = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["a", "b", "c"])
    )
    chosen = make_pipeline(encode_numbers, TransductiveSVC())
    codes = make_pipeline(
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
        TransductiveSVC(),
    )
    whole = X.round()
    return {
        "table": (table.fit(frame, partly), frame[:8]),
        "ColumnTransformer": (chosen.fit(frame, partly), frame[1:7]),
        "OrdinalEncoder": (codes.fit(whole, partly), whole[:8]),
    }


def _models_of_texts():
    texts = ["red wine", "tea cup", "wine wine", "a tea", "red red", "cup of tea"] * 3
    y, rows = [0, 1, 0, 1, -1, -1] * 3, ["red wine", "a cup of tea", "", "a" * 60 + "!"]
    models = {}
    for step in (TfidfVectorizer(), CountVectorizer(ngram_range=(1, 2))):
        model = make_pipeline(step, TransductiveSVC(kernel="linear")).fit(texts, y)
        models[type(step).__name__] = model, rows
    return models


def flip(content, rng):
    """Change one to five bytes."""
    content = bytearray(content)
    for place in rng.integers(len(content), size=rng.integers(1, 6)):
        content[place] ^= int(rng.integers(1, 256))
    return bytes(content)


def reseal(content, rng):
    """Change bytes inside one of the parts, and write the right checksums."""
    parts = read_parts(content)
    name = TREE if rng.random() < 0.5 else rng.choice(list(parts))
    return write_parts({**parts, name: flip(parts[name], rng)})


def edit_array(content, rng):
    """Replace some numbers, or the type, of one of the arrays."""
    parts = read_parts(content)
    name = rng.choice([name for name in parts if name != TREE] or [TREE])
    if name == TREE:
        return edit_tree(content, rng)
    array = np.load(io.BytesIO(parts[name]), allow_pickle=False).copy()
    what = rng.integers(5)
    if array.size and what < 4:
        places = rng.integers(array.size, size=rng.integers(1, 3))
        values = [VALUES[i] for i in rng.integers(len(VALUES) - 9, size=len(places))]
        if what == 1:  # those of other places
            values = array.flat[rng.integers(array.size, size=len(places))]
        for place, value in zip(places, values, strict=True):
            try:
                array.flat[place] = value if what else -array.flat[place]
            except (OverflowError, ValueError, TypeError):
                array.flat[place] = array.flat[0]
    else:
        array = (
            array.astype(rng.choice(["f4", "f8", "i8"]), copy=False)
            if (array.dtype.kind in "iuf")
            else array[::-1]
        )
    stream = io.BytesIO()
    with np.errstate(all="ignore"):
        np.save(stream, array, allow_pickle=False)
    return write_parts({**parts, name: stream.getvalue()})


def edit_tree(content, rng):
    """Replace a value of the tree by a wrong one, or by another value of the tree."""
    parts = read_parts(content)
    tree = json.loads(parts[TREE])
    places = list(_leaves(tree))
    for _ in range(rng.integers(1, 3)):
        holder, key = places[rng.integers(len(places))]
        other, name = places[rng.integers(len(places))]
        is_new = rng.random() < 0.7
        holder[key] = VALUES[rng.integers(len(VALUES))] if is_new else other[name]
    return write_parts({**parts, TREE: json.dumps(tree).encode()})


def _leaves(node):
    """Where the plain values of a tree are: what holds them, and the key."""
    pairs = node.items() if isinstance(node, dict) else enumerate(node)
    for key, member in pairs:
        if isinstance(member, dict | list) and len(member):
            yield from _leaves(member)
        else:
            yield node, key


def read_parts(content):
    """The parts of a file by name."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist()}


def write_parts(parts):
    """A file of these parts, with the right checksums."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name, part in parts.items():
            file.writestr(name, part)
    return stream.getvalue()


def examine(file, X):
    """What became of a file: refused, finite, or what is wrong with it."""
    signal.alarm(PATIENCE)
    try:
        model = load(file)
        return _examine_model(model, X)
    except ModelFileError:
        return REFUSED
    except TimeoutError:
        return f"took more than {PATIENCE} s"
    except Exception as error:
        return f"raised {type(error).__name__}: {error}"
    finally:
        signal.alarm(0)


def _examine_model(model, X):
    names = "predict_proba", "decision_function", "predict_log_proba"
    for name in names:
        if hasattr(model, name):
            found = np.asarray(getattr(model, name)(X))
            if name != "predict_log_proba" and not np.isfinite(found).all():
                return f"{name} is not finite"
            if name == "predict_proba" and np.abs(found.sum(axis=1) - 1).max() > 1e-6:
                return "probabilities do not sum to one"
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    return FINITE if len(model.predict(X)) == n_rows else "other rows"


def run_out(*_):
    """The handler of the alarm."""
    raise TimeoutError


DAMAGES = {"bytes": reseal, "arrays": edit_array, "tree": edit_tree}


def fuzz(models, n_files, seed, report=print):
    """Outcomes of damaged files of all models, in turn."""
    outcomes, rng = Counter(), np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        file, files = Path(folder, "damaged.wm"), []
        for name, (model, X) in models.items():
            save(model, file)
            files.append((name, file.read_bytes(), X))
            assert examine(file, X) == FINITE, name
        for i in range(n_files):
            name, content, X = files[i % len(files)]
            kind = list(DAMAGES)[rng.integers(len(DAMAGES))]
            file.write_bytes(DAMAGES[kind](content, rng))
            outcome = examine(file, X)
            if outcome not in (REFUSED, FINITE):
                report(f"{name}, {kind}, file {i}: {outcome}")
                file.replace(Path(tempfile.gettempdir(), f"fuzzed-{seed}-{i}.wm"))
                outcome = "wrong"
            outcomes[f"{kind} {outcome}"] += 1
    return outcomes


def main():
    """Print all outcomes; the exit code is 1 if any is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, run_out)
    outcomes = fuzz(make_models(), given.files, given.seed)
    print(json.dumps(outcomes, sort_keys=True))
    return 1 if any("wrong" in key for key in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
