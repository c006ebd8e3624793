"""Loads of damaged model files, to be run as a process of its own.

Usage: fuzz_load.py MODEL KIND n_flipped n_truncated n_resealed
The model predicts rows of a KIND, numbers or texts.
"""

import json
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import plug_in  # noqa: F401  the classes of the models
from fuzz_models import flip, reseal

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
        file = Path(folder, "model.wm")
        outcome, expected = predict(path, X)
        assert outcome == "loaded"
        assert expected is not None
        for kind, content in damaged:
            file.write_bytes(content)
            outcome, scores = predict(file, X)
            if outcome == "loaded":
                is_equal = np.array_equal(scores, expected)
                outcome = "equal" if is_equal else "different"
            outcomes[f"{kind} {outcome}"] += 1
    print(json.dumps(outcomes))


def predict(file, X):
    """What became of a file, and the probabilities of X by its model."""
    from widemargin.model_files import ModelFileError, load

    try:
        model = load(file)
    except ModelFileError:
        return "refused", None
    except Exception as error:
        return f"raised {type(error).__name__}: {error}", None
    try:
        found = model.predict_proba(X)
    except Exception as error:
        return f"cannot predict: {type(error).__name__}: {error}", None
    return ("loaded" if np.isfinite(found).all() else "not finite"), found


if __name__ == "__main__":
    main(sys.argv[1], ROWS[sys.argv[2]], *map(int, sys.argv[3:]))
