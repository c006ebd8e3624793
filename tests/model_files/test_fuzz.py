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
TOOLS = Path(__file__).parents[2] / "tools"


def fuzz(path, *counts, kind="numbers"):
    """Outcomes of damaged files; a crash of the process fails."""
    return run(SCRIPT, path, kind, *counts)


def run(script, *words):
    """What a script prints last."""
    source = [Path(widemargin.__file__).parents[1], Path(plug_in.__file__).parent]
    source = os.pathsep.join(map(str, [*source, TOOLS]))
    done = subprocess.run(
        [sys.executable, str(script), *map(str, words)],
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, f"exit code {done.returncode}: {done}"
    return json.loads(done.stdout.splitlines()[-1])


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
    check_resealed(fuzz(path, 0, 0, 300, kind="texts"))


def test_edited_files_are_refused_or_predict_finite_probabilities():
    """Of all estimators and steps; `tools/fuzz_models.py` by itself takes 5,000."""
    outcomes = run(TOOLS / "fuzz_models.py", "--files", 400, "--seed", 1)
    assert sum(outcomes.values()) == 400
    for damage in ("bytes", "arrays", "tree"):
        assert outcomes[f"{damage} refused"] > 10
        assert outcomes[f"{damage} finite"] > 0


def check_resealed(outcomes):
    allowed = {"resealed equal", "resealed refused", "resealed different"}
    assert outcomes.keys() <= allowed, outcomes
    assert outcomes["resealed refused"] > 100
