import json
import os
import subprocess
import sys
from pathlib import Path

import plug_in
import pytest
from plug_in import ToyClassifier, ToyMixture
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import widemargin
from widemargin.model_files import save

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).with_name("fuzz_load.py")


def fuzz(path, *counts, kind="numbers"):
    """Outcomes of damaged files; a crash of the process fails."""
    source = [Path(widemargin.__file__).parents[1], Path(plug_in.__file__).parent]
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(path), kind, *map(str, counts)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, source))},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stderr}"
    return json.loads(done.stdout)


def test_a_damaged_file_loads_equal_or_is_refused(two_classes, path):
    """Random bytes flipped 500 times, and cut off 100 times."""
    X, y = two_classes
    save(make_pipeline(StandardScaler(), ToyClassifier()).fit(X, y), path)
    outcomes = fuzz(path, 500, 100, 0)
    assert sum(outcomes.values()) == 600
    allowed = {"flipped equal", "flipped refused", "truncated refused"}
    assert outcomes.keys() <= allowed, outcomes
    assert outcomes["flipped refused"] > 400


@pytest.mark.parametrize("container", [list, sparse.csr_matrix])
def test_damage_with_right_checksums_does_no_harm(container, two_classes, path):
    """Numbers may differ then, but the file is refused or predicts finite numbers."""
    X, y = two_classes
    model = ToyClassifier(n_points=10).fit(container(X), y)
    save(model, path)
    check_resealed(fuzz(path, 0, 0, 300))


@pytest.mark.parametrize("container", [list, sparse.csr_matrix])
def test_damaged_mixtures_do_no_harm(container, two_classes, path):
    X, y = two_classes
    model = ToyMixture({"one": ToyClassifier(), "two": ToyClassifier("linear")})
    save(model.fit(container(X), y), path)
    check_resealed(fuzz(path, 0, 0, 300))
    outcomes = fuzz(path, 100, 30, 0)
    allowed = {"flipped equal", "flipped refused", "truncated refused"}
    assert outcomes.keys() <= allowed, outcomes


def test_damaged_words_do_no_harm(path):
    texts = ["red wine", "tea cup", "wine wine", "a tea", "red red", "cup of tea"]
    model = make_pipeline(TfidfVectorizer(), ToyClassifier("linear"))
    save(model.fit(texts, [0, 1, 0, 1, -1, -1]), path)
    outcomes = fuzz(path, 0, 0, 300, kind="texts")
    # a wrong parameter of a vectorizer may be an error; a crash would fail in `fuzz`
    check_resealed(
        {key: n for key, n in outcomes.items() if "cannot predict" not in key}
    )


def check_resealed(outcomes):
    allowed = {"resealed equal", "resealed refused", "resealed different"}
    assert outcomes.keys() <= allowed, outcomes
    assert outcomes["resealed refused"] > 100
