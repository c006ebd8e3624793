"""Draw the picture of the README and of the first page of the documentation.

``python tools/readme_picture.py`` writes ``docs/_static/two_moons.png``: six labels of
two moons, and the boundaries of `SVC` on the labels and of `FewLabelClassifier`.
"""

import io
from pathlib import Path

from sklearn.svm import SVC

from widemargin import FewLabelClassifier
from widemargin.datasets import hide_labels, make_two_moons

PICTURE = Path(__file__).parents[1] / "docs" / "_static" / "two_moons.png"
N_ROWS, N_LABELED = 300, 6


def fit_models():
    """Both models, the rows and labels, and the accuracy on the unlabeled rows."""
    X, y = make_two_moons(N_ROWS, noise=0.08, random_state=0)
    y_partial = hide_labels(y, N_LABELED, rng=0)
    labeled = y_partial != -1
    models = (
        SVC(C=10).fit(X[labeled], y[labeled]),
        FewLabelClassifier(random_state=0).fit(X, y_partial),
    )
    return models, X, y_partial, [m.score(X[~labeled], y[~labeled]) for m in models]


def draw():
    """The picture, as the bytes of a PNG file."""
    from matplotlib.figure import Figure

    from widemargin.plots import DecisionDisplay

    models, X, y_partial, accuracies = fit_models()
    titles = (
        f"SVC on the {N_LABELED} labels\n{accuracies[0]:.0%} correct",
        f"FewLabelClassifier on all {N_ROWS} rows\n{accuracies[1]:.0%} correct",
    )
    figure = Figure(figsize=(9, 4), layout="constrained")
    for ax, title, model in zip(figure.subplots(1, 2), titles, models, strict=True):
        DecisionDisplay.from_estimator(
            model, X, y_partial, ax=ax, margin=None, legend=False
        )
        ax.set_title(title, fontsize=15)
        ax.set(xticks=[], yticks=[], xlabel="", ylabel="")
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=140, metadata={"Software": None})
    return buffer.getvalue()


if __name__ == "__main__":
    PICTURE.write_bytes(draw())
