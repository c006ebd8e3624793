"""Loads of damaged model files, to be run as a process of its own.

Usage: fuzz_load.py MODEL KIND n_flipped n_truncated n_resealed
The model is asked about rows of a KIND, numbers or texts.
"""

import io
import json
import sys
import tempfile
import warnings
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np

ROWS = {
    "numbers": np.random.default_rng(1).normal(size=(5, 3)),
    "texts": ["red wine", "a cup of tea", "", "tea tea wine", "else"],
}


def main(path, X, n_flipped, n_truncated, n_resealed):
    """Print how often a damaged file loaded equal, was refused, or neither."""
    warnings.simplefilter("ignore")
    whole, rng = Path(path).read_bytes(), np.random.default_rng(0)
    damaged = [("flipped", flip(whole, rng)) for _ in range(n_flipped)]
    cuts = rng.integers(len(whole), size=n_truncated)
    damaged += [("truncated", whole[:cut]) for cut in cuts]
    damaged += [("resealed", reseal(whole, rng)) for _ in range(n_resealed)]
    outcomes = Counter()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "model.skops")
        outcome, expected = ask(path, X)
        assert outcome == "loaded"
        assert expected is not None
        for kind, content in damaged:
            file.write_bytes(content)
            outcome, scores = ask(file, X)
            if outcome == "loaded":
                is_equal = np.array_equal(scores, expected)
                outcome = "equal" if is_equal else "different"
            outcomes[f"{kind} {outcome}"] += 1
    print(json.dumps(outcomes))


def ask(file, X):
    """What became of a file, and what its model says of X."""
    from widemargin.model_files import ModelFileError, load

    try:
        model = load(file)
    except ModelFileError:
        return "refused", None
    except Exception as error:
        return f"raised {type(error).__name__}: {error}", None
    try:
        return "loaded", model.decision_function(X)
    except Exception:  # a number was changed: any error will do, a crash will not
        return "loaded", None


def flip(content, rng):
    """Change one to five bytes."""
    content = bytearray(content)
    for place in rng.integers(len(content), size=rng.integers(1, 6)):
        content[place] ^= int(rng.integers(1, 256))
    return bytes(content)


def reseal(content, rng):
    """Change bytes inside one of the parts, and write the right checksums."""
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(stream, "w") as new,
    ):
        names = old.namelist()
        damaged = "schema.json" if rng.random() < 0.5 else rng.choice(names)
        for name in names:
            part = old.read(name)
            new.writestr(name, flip(part, rng) if name == damaged else part)
    return stream.getvalue()


if __name__ == "__main__":
    main(sys.argv[1], ROWS[sys.argv[2]], *map(int, sys.argv[3:]))
