"""The default method on 20 labels of 1,797 digits, for ``widemargin demo``."""

import io
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from widemargin import FewLabelClassifier
from widemargin.datasets import hide_labels
from widemargin.labels import labeled_mask
from widemargin.model_files.writing import write_whole

N_LABELED = 20
BASELINE = "SVC (labels only)"
WORK = "Fitting FewLabelClassifier on 1,797 rows (a few seconds)"


def load_data():
    """scikit-learn's digits, and `y_partial`, the few labels that the methods see."""
    digits = load_digits()
    digits.data = digits.data / 16.0
    digits.y_partial = hide_labels(digits.target, N_LABELED, rng=0)
    return digits


@dataclass(frozen=True)
class Outcome:
    """What a method predicts for the unlabeled digits."""

    name: str
    predicted: np.ndarray
    accuracy: float
    seconds: float  # to fit; for a candidate, fits on fewer labels included
    weight: float | None = None  # of a candidate in the average


def run(digits, classifier=None, *, verbose=False):
    """An `Outcome` of the SVC, `FewLabelClassifier` and each candidate; the report."""
    classifier = classifier or FewLabelClassifier(random_state=0)
    X, y_partial = digits.data, digits.y_partial
    labeled = labeled_mask(y_partial)
    rows, truth = X[~labeled], digits.target[~labeled]

    def score(name, predicted, seconds, weight=None):
        accuracy = float(np.mean(predicted == truth))
        return Outcome(name, predicted, accuracy, seconds, weight)

    start = time.perf_counter()
    baseline = SVC(C=10).fit(X[labeled], y_partial[labeled])
    fitted = time.perf_counter()
    with threadpool_limits(1):  # threads do not pay off for matrices this small
        model = clone(classifier).set_params(verbose=verbose).fit(X, y_partial)
    end = time.perf_counter()
    outcomes = [
        score(BASELINE, baseline.predict(rows), fitted - start),
        score(type(model).__name__, model.predict(rows), end - fitted),
    ]
    for candidate, line in zip(model.models_, model.report_.candidates, strict=True):
        predicted = model.classes_[candidate.predict(rows)]
        outcomes.append(score(line.name, predicted, line.seconds, line.weight))
    return outcomes, model.report_


def print_table(outcomes, report):
    """Accuracy and time of each method, on the terminal."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"Digits: {N_LABELED} of 1,797 labeled, 10 classes")
    table.add_column("method")
    for title in ("weight", "accuracy on\nthe unlabeled", "fit"):
        table.add_column(title, justify="right")
    for row, outcome in enumerate(outcomes):
        cells = [outcome.name, "", f"{100 * outcome.accuracy:.1f} %"]
        if outcome.weight is not None:
            cells[:2] = f"  {outcome.name}", f"{outcome.weight:.2f}"
        cells.append(f"{outcome.seconds:.1f} s")
        style = "bold" if row == 1 else "dim"
        table.add_row(*cells, style=style, end_section=row == 1)  # its parts are below
    Console().print(table)
    print(
        f"Error of {outcomes[1].name} estimated from held-out labels: "
        f"{100 * report.error:.0f} +- {100 * report.error_std:.0f} %.\n"
        "With two labels per class this is a rough estimate."
    )


def draw(outcomes, digits, path):
    """Draw accuracies as bars, labeled digits, and digits that only one gets right."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(11, 4.6), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[1.15, 1])
    _draw_accuracies(left.subplots(), outcomes)

    labeled, y = labeled_mask(digits.y_partial), digits.target
    won, hidden = np.zeros(len(y), dtype=bool), y[~labeled]
    won[~labeled] = outcomes[1].predicted == hidden
    won[~labeled] &= outcomes[0].predicted != hidden
    upper, lower = right.subfigures(2, 1, height_ratios=[2, 3])
    upper.suptitle("All labeled digits", fontsize="medium")
    lower.suptitle(f"Wrong by SVC, correct by {outcomes[1].name}", fontsize="medium")
    _draw_grid(upper.subplots(2, 10), digits, labeled)
    _draw_grid(lower.subplots(3, 10), digits, won)
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=150, format=_picture_format(path))
    plt.close(figure)
    write_whole(path, buffer.getvalue())


def check_picture(path):
    """Raise ValueError if matplotlib is installed and cannot write such a file."""
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ModuleNotFoundError:
        return
    formats = FigureCanvasBase.get_supported_filetypes()
    if _picture_format(path) not in formats:
        endings = ", ".join(f".{name}" for name in sorted(formats))
        problem = f"The ending of {path} is not that of a picture"
        raise ValueError(f"{problem}; use one of {endings}.")


def _picture_format(path):
    return Path(path).suffix.lower().removeprefix(".")


def _draw_accuracies(axes, outcomes):
    """One bar per method; those of candidates are narrow, and below the others."""
    for row, outcome in enumerate(outcomes):
        is_part = outcome.weight is not None
        place = row + 0.7 if is_part else row
        color = "#99C7E0" if is_part else ["0.75", "#0072B2"][row]
        axes.barh(place, 100 * outcome.accuracy, 0.6 if is_part else 0.8, color=color)
        axes.text(
            100 * outcome.accuracy - 1.5, place,
            f"{100 * outcome.accuracy:.1f} %, {outcome.seconds:.1f} s",
            ha="right", va="center", color="white" if row == 1 else "black",
            fontsize="small" if is_part else "medium",
        )  # fmt: skip
    parts = [f"{o.name} ({o.weight:.2f})" for o in outcomes[2:]]
    places = [0, 1, *(row + 2.7 for row in range(len(parts)))]
    axes.set_yticks(places, [*(o.name for o in outcomes[:2]), *parts])
    axes.text(
        0, 2.05, f"Candidates of {outcomes[1].name} (weight):", va="center",
        fontsize="small", style="italic",
    )  # fmt: skip
    axes.set_ylim(places[-1] + 0.6, -0.6)
    axes.set_xlim(0, 100)
    axes.set_xlabel("accuracy on the unlabeled digits (%)")
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_grid(axes, digits, chosen):
    """The first of the chosen digits of each class, one below the other."""
    for digit in range(10):
        images = digits.images[chosen & (digits.target == digit)]
        for row, panel in enumerate(axes[:, digit]):
            panel.axis("off")
            if row < len(images):
                panel.imshow(images[row], cmap="gray_r")


def main(path="widemargin-demo.png", classifier=None):
    """Run all methods, print the table, write the picture."""
    check_picture(path)
    digits = load_data()
    print(f"{WORK}.", flush=True)
    outcomes, report = run(digits, classifier, verbose=True)
    print_table(outcomes, report)
    try:
        draw(outcomes, digits, path)
    except ModuleNotFoundError as error:
        print(f"No picture: {error}. Install it with pip install matplotlib.")
        return
    print(f"Picture written to {path}")
