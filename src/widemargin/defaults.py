"""Numbers that decide behaviour and were chosen by measurement, with their evidence.

Each has a value, the reason for it, the data that it was chosen on and the command that
shows it. Other numbers in the source follow from the mathematics or from the machine.
"""

from typing import NamedTuple


class Passport(NamedTuple):
    """Where a number comes from."""

    value: object
    reason: str
    data: str
    command: str


class Ladder(NamedTuple):
    """From the exact kernel to landmarks."""

    exact_rows: int  # up to so many rows the Gram matrix is kept
    n_landmarks: int  # landmarks for more


class Holdout(NamedTuple):
    """Rows on which labels are held out, if there are many more."""

    least_rows: int
    rows_per_label: int  # where rows are cheap, else 2
    most_rows: int  # unless there are more labels than half of it
    most_irrelevant: int  # rows known to be irrelevant, beside the others


PASSPORTS: dict[str, Passport] = {}


def _measured(name, value, *, reason, data, command):
    PASSPORTS[name] = Passport(value, reason, data, command)
    return value


_SPEED = "python benchmarks/speed/{}.py"

# Which functions are learned -----------------------------------------------------

LAPLACIAN_LADDER = _measured(
    "LAPLACIAN_LADDER",
    Ladder(20_000, 1000),
    reason="The exact model is several points better on images, because few landmarks "
    "cannot follow the graph; its Gram matrix takes 3 GiB at 20,000 rows.",
    data="usps, mnist: 5,000 to 60,000 rows",
    command=_SPEED.format("speed_laplacian"),
)
SEARCH_LADDER = _measured(
    "SEARCH_LADDER",
    Ladder(3000, 1000),
    reason="A search factorizes the smoother of every weight of the unlabeled rows; "
    "with 1,000 landmarks the error is the same within its spread.",
    data="usps, mnist, letter, waveform",
    command=_SPEED.format("speed_label_search"),
)
CLUSTER_LADDER = _measured(
    "CLUSTER_LADDER",
    Ladder(10_000, 1000),
    reason="Clusters have no labels to recover what landmarks lose, and the smoother "
    "is factorized once.",
    data="coil20, usps",
    command=_SPEED.format("speed_label_search"),
)
HINGE_LADDER = _measured(
    "HINGE_LADDER",
    Ladder(10_000, 1000),
    reason="Sequential minimal optimization slows down with the square of the rows; "
    "Newton steps on the features of landmarks do not.",
    data="usps, mnist, waveform",
    command=_SPEED.format("speed_tri_class"),
)
PROCESS_LADDER = _measured(
    "PROCESS_LADDER",
    Ladder(2000, 500),
    reason="The process is factorized for every weight of the unlabeled rows, and 500 "
    "landmarks lose nothing that a table of ten draws shows.",
    data="the eleven sets of the self-labeling tables",
    command=_SPEED.format("speed_self_labeling"),
)
GRAM_BYTES = _measured(
    "GRAM_BYTES",
    2 * 2**30,
    reason="A larger Gram matrix is not kept by solvers that read its rows: computing "
    "rows again costs less than the memory of a laptop.",
    data="mnist: 20,000 to 60,000 rows",
    command=_SPEED.format("speed_tri_class"),
)

# How models are averaged ---------------------------------------------------------

TRUST = _measured(
    "TRUST",
    0.5,
    reason="Bayes' rule (1.0) assumes that held-out labels are independent of what "
    "tuned the models; half of it was best with one data set left out.",
    data="few-labels and few-labels-mixed, one set left out",
    command="widemargin bench run few-labels few-labels-mixed",
)
LEAST_PROBABILITY = _measured(
    "LEAST_PROBABILITY",
    0.02,
    reason="A held-out label that a model calls impossible, such as a wrong label, "
    "would otherwise outweigh all others.",
    data="few-labels and few-labels-mixed, one set left out",
    command="widemargin bench run few-labels few-labels-mixed",
)
CALIBRATION_CENTER = _measured(
    "CALIBRATION_CENTER",
    3.0,
    reason="Median slope that makes one-vs-rest scores of these models probabilities; "
    "with few labels the fitted slope stays near it.",
    data="few-labels",
    command="widemargin bench run few-labels",
)
CALIBRATION_SPREAD = _measured(
    "CALIBRATION_SPREAD",
    0.5,
    reason="Spread of the logarithm of that slope over data sets and models.",
    data="few-labels",
    command="widemargin bench run few-labels",
)
PATH_DECAY = _measured(
    "PATH_DECAY",
    0.7,
    reason="Each model of a path relies more on the unlabeled rows than the one before "
    "it; held-out labels that cannot tell them apart then favor the cautious one.",
    data="few-labels, one set left out",
    command="widemargin bench run few-labels",
)

# How hinge models use unlabeled rows ---------------------------------------------

HINGE_WEIGHTS = _measured(
    "HINGE_WEIGHTS",
    (0.1, 0.3, 1.0),
    reason="From hardly any influence of the unlabeled rows to as much as all labels "
    "have; held-out labels weigh the models.",
    data="the eleven sets of the tables of defaults",
    command="widemargin bench run defaults",
)
HINGE_HOLDOUT = _measured(
    "HINGE_HOLDOUT",
    Holdout(1000, 20, 20_000, 1000),
    reason="The models of five folds on all rows would take five times as long as the "
    "model itself; where features make rows cheap, more of them show better what many "
    "unlabeled rows per label do.",
    data="usps, mnist, pcmac",
    command=_SPEED.format("speed_tri_class"),
)
HINGE_FOLD_TOL = _measured(
    "HINGE_FOLD_TOL",
    10.0,
    reason="Held-out labels need the side of the boundary, not digits: a solver's "
    "tolerance may be ten times as large in folds.",
    data="usps, mnist, pcmac",
    command=_SPEED.format("speed_tri_class"),
)
