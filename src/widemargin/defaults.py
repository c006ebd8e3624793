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


PASSPORTS: dict[str, Passport] = {}


def _measured(name, value, *, reason, data, command):
    PASSPORTS[name] = Passport(value, reason, data, command)
    return value


_SPEED = "python benchmarks/speed/{}.py"
# For values that release 0.1 used without a record of how they were found. The command
# shows results that depend on them; it is not where they come from.
_UNRECORDED = "not recorded; the value of release 0.1"

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
UNTUNED_TRUST = _measured(
    "UNTUNED_TRUST",
    1.0,
    reason="Where nothing was tuned by the labels, because the average runs over all "
    "widths and penalties, Bayes' rule holds as it is: the mean error of the ridge "
    "average is 11.8 %, and 11.9 % with `TRUST`; on larger sets 16.15 % and 16.32 %.",
    data="two moons, three pairs of digits, iris, thyroid, pima, ionosphere, g50c; 6 "
    "to 50 labels, five draws. Then iris, thyroid, pima, ionosphere, two moons, g50c, "
    "splice, coil20, digits, uspst, waveform, ringnorm; 10 to 100 labels, 20 draws",
    command="python tools/try_defaults.py ridge",
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

# How self-labeling relabels ------------------------------------------------------

_TRIED = "two moons, three pairs of digits, iris, thyroid, pima, ionosphere, g50c"
_TRIED = f"{_TRIED}; 6, 10, 20 and 50 labels, five draws"
_TRY_SELF_LABELING = "python tools/try_defaults.py self-labeling"
LABELED_WEIGHT = _measured(
    "LABELED_WEIGHT",
    10.0,
    reason="Weight of a given label, which is right, while one that the model gave "
    "itself may not be: the mean error is 8.4 %, with equal weights, as in the paper, "
    "9.9 %, and with a weight of 100 9.1 %.",
    data=_TRIED,
    command=_TRY_SELF_LABELING,
)
ANNEALING_WEIGHTS = _measured(
    "ANNEALING_WEIGHTS",
    (0.01, 0.1, 0.3, 1.0),
    reason="Labels that are found while unlabeled rows have little weight are a better "
    "start than those of the given labels alone: the mean error is 8.4 %, and 8.5 % "
    "with the last weight at once.",
    data=_TRIED,
    command=_TRY_SELF_LABELING,
)
MAX_UNLABELED_RATIO = _measured(
    "MAX_UNLABELED_RATIO",
    4.0,
    reason="Where clusters are not classes, many unlabeled rows outvote the labels: "
    "without a limit the error on waveform was two points above that of the labels "
    "alone.",
    data="waveform",
    command="widemargin bench run defaults",
)
RELABEL_TOL = _measured(
    "RELABEL_TOL",
    1e-3,
    reason="The number of rounds until no label changes grows with the number of rows.",
    data=_UNRECORDED,
    command=_SPEED.format("speed_self_labeling"),
)
PROCESS_NOISE = _measured(
    "PROCESS_NOISE",
    0.5,
    reason="Variance of the noise of targets -1 and +1: the mean error is 8.4 %, with "
    "0.1 8.9 % and with 2 9.4 %.",
    data=_TRIED,
    command=_TRY_SELF_LABELING,
)
START_LOG_ODDS = _measured(
    "START_LOG_ODDS",
    0.05,
    reason="Prior log odds that each label gives to the start from the labels against "
    "the side of a kernel component: the mean error is 8.42 %, with 0 8.45 %, with 0.2 "
    "8.90 %, and without components 9.18 %.",
    data="the sets of two classes among those of LABELED_WEIGHT",
    command="pytest tests/estimators/test_self_labeling.py -k components",
)
EVIDENCE_ROWS = _measured(
    "EVIDENCE_ROWS",
    1000,
    reason="One evaluation of the evidence takes time that is cubic in the rows, and "
    "learning takes some hundred of them.",
    data=_UNRECORDED,
    command=_SPEED.format("speed_self_labeling"),
)

# The supervised average ----------------------------------------------------------

RIDGE_WIDTHS = _measured(
    "RIDGE_WIDTHS",
    (1 / 64, 1 / 16, 1 / 4, 1.0, 4.0),
    reason="Multiples of the width by rule; the smallest are almost linear.",
    data=_UNRECORDED,
    command="widemargin bench run few-labels",
)
RIDGE_PENALTIES = _measured(
    "RIDGE_PENALTIES",
    (1e-3, 1e-2, 1e-1, 1.0),
    reason="Weights of the kernel norm, from hardly any to a strong penalty.",
    data=_UNRECORDED,
    command="widemargin bench run few-labels",
)
WIDEST_FOR_OTHERS = _measured(
    "WIDEST_FOR_OTHERS",
    0.1,
    reason="Few labels may prefer an almost linear kernel; other models hardly bend "
    "with it, because their penalties stay as they are.",
    data=_UNRECORDED,
    command="widemargin bench run few-labels",
)
RIDGE_LABELS = _measured(
    "RIDGE_LABELS",
    2000,
    reason="The kernel between the labels is decomposed once for each width, which "
    "takes time that is cubic in the labels.",
    data=_UNRECORDED,
    command=_SPEED.format("speed_few_labels"),
)
