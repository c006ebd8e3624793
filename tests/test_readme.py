"""The README is short, and its figures are those that the code gives today."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn import datasets
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.svm import SVC

from widemargin import FewLabelClassifier
from widemargin.datasets import hide_labels

picture = pytest.importorskip("readme_picture", reason="installed without the tools")

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
N_DRAWS = 10
LOADERS = {
    "digits": datasets.load_digits,
    "breast cancer": datasets.load_breast_cancer,
    "wine": datasets.load_wine,
    "iris": datasets.load_iris,
}


def read_table():
    """Set, number of labels and figures of each line, and which of them is bold."""
    head = README.index("| data | labels |")
    lines = README[head:].split("\n\n")[0].splitlines()[2:]
    for line in lines:
        name, n_labeled, *figures = (
            cell.strip() for cell in line.strip("|").split("|")
        )
        bold = [figure.startswith("**") for figure in figures]
        values = [float(figure.strip("*")) for figure in figures]
        yield name.partition(" (")[0], int(n_labeled), values, bold


TABLE = list(read_table())


def measure(name, n_labeled):
    """Mean error in % of the four methods over draws of the labels."""
    X, y = LOADERS[name](return_X_y=True)
    if name != "digits":
        X = StandardScaler().fit_transform(X)
    errors = []
    for draw in range(N_DRAWS):
        y_partial = hide_labels(y, n_labeled, rng=draw)
        labeled = y_partial != -1
        models = (
            SVC(C=10).fit(X[labeled], y[labeled]),
            LabelSpreading(kernel="knn").fit(X, y_partial),
            SelfTrainingClassifier(LogisticRegression(max_iter=5000)).fit(X, y_partial),
            FewLabelClassifier(random_state=0).fit(X, y_partial),
        )
        errors.append([1 - m.score(X[~labeled], y[~labeled]) for m in models])
    return 100 * np.mean(errors, axis=0)


def test_table_has_all_sets():
    assert {name for name, *_ in TABLE} == set(LOADERS)
    assert len(TABLE) == 8


@pytest.mark.parametrize("line", TABLE, ids=lambda line: f"{line[0]}-{line[1]}")
def test_smallest_errors_are_bold(line):
    _, _, values, bold = line
    assert bold == [value == min(values) for value in values]


@pytest.mark.slow
@pytest.mark.parametrize("line", TABLE, ids=lambda line: f"{line[0]}-{line[1]}")
def test_table_is_true(line):
    """To half a point: last digits depend on the libraries of linear algebra."""
    name, n_labeled, values, _ = line
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # LabelSpreading divides by zero
        np.testing.assert_allclose(measure(name, n_labeled), values, atol=0.5)


def test_picture_is_described_as_it_is():
    *_, accuracies = picture.fit_models()
    shown = re.findall(r"(\d+) % correct", README.partition("docs/_static/")[0])
    assert shown == [f"{100 * accuracy:.0f}" for accuracy in accuracies]


def test_readme_is_short():
    assert len(README.split()) <= 900


def test_figures_of_scikit_learn_beside_ours():
    """Those after a semicolon, which the test of the code blocks does not compare."""
    X, y = datasets.load_digits(return_X_y=True)
    labeled = hide_labels(y, 20, rng=0) != -1
    accuracy = SVC(C=10).fit(X[labeled], y[labeled]).score(X, y)
    assert f"SVC(C=10) on the 20 labels has {accuracy:.2f}" in README
    codes = KMeans(10, n_init=10, random_state=0).fit_predict(X[:400])
    assert f"k-means, 10 starts: {adjusted_rand_score(y[:400], codes):.2f}" in README
