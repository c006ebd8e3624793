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


class NewtonLimits(NamedTuple):
    """Up to which size Laplacian models are found by Newton's method."""

    rows: int
    rows_per_column: int  # more rows for each column of scores
    max_rows: int
    labels: int


class HoldoutSize(NamedTuple):
    """Size of the part on which labels are held out where there are many rows."""

    rows: int
    labels: int


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
    command=_SPEED.format("laplacian"),
)
SEARCH_LADDER = _measured(
    "SEARCH_LADDER",
    Ladder(3000, 1000),
    reason="A search factorizes the smoother of every weight of the unlabeled rows; "
    "with 1,000 landmarks the error is the same within its spread.",
    data="usps, mnist, letter, waveform",
    command=_SPEED.format("label_search"),
)
CLUSTER_LADDER = _measured(
    "CLUSTER_LADDER",
    Ladder(10_000, 1000),
    reason="Clusters have no labels to recover what landmarks lose, and the smoother "
    "is factorized once.",
    data="coil20, usps",
    command=_SPEED.format("label_search"),
)
HINGE_LADDER = _measured(
    "HINGE_LADDER",
    Ladder(10_000, 1000),
    reason="Sequential minimal optimization slows down with the square of the rows; "
    "Newton steps on the features of landmarks do not.",
    data="usps, mnist, waveform",
    command=_SPEED.format("tri_class"),
)
PROCESS_LADDER = _measured(
    "PROCESS_LADDER",
    Ladder(2000, 500),
    reason="The process is factorized for every weight of the unlabeled rows, and 500 "
    "landmarks lose nothing that a table of ten draws shows.",
    data="the eleven sets of the self-labeling tables",
    command=_SPEED.format("self_labeling"),
)
GRAM_BYTES = _measured(
    "GRAM_BYTES",
    2 * 2**30,
    reason="A larger Gram matrix is not kept by solvers that read its rows: computing "
    "rows again costs less than the memory of a laptop.",
    data="mnist: 20,000 to 60,000 rows",
    command=_SPEED.format("tri_class"),
)

# How far a graph is used ---------------------------------------------------------

GRAPH_SHARES = _measured(
    "GRAPH_SHARES",
    (0.0, 0.75, 1.0),
    reason="Shares of the graph in the kernel of Laplacian models. Mean error of these "
    "three: 12.8 %; without the middle one 13.1 %; of five shares 12.6 %, at five "
    "thirds of the cost of each fit on the labels.",
    data="digits, usps, g50c, coil20, waveform, ionosphere; 20 and 50 labels",
    command="python benchmarks/graph_shares.py digits usps g50c coil20 waveform "
    "ionosphere",
)
GRAPH_RATIO = _measured(
    "GRAPH_RATIO",
    2.0,
    reason="Weight of the graph relative to the ambient norm, for each row of a kernel "
    "with unit diagonal. More of it helps where classes are manifolds and hurts "
    "elsewhere: from 2 to 8 the error falls on digits (9.0 to 7.5 %) and coil20 (21.9 "
    "to 18.9 %) and rises on usps (13.7 to 14.5 %) and g50c (8.5 to 9.2 %).",
    data="digits, usps, g50c, coil20, waveform, ionosphere; 20 and 50 labels",
    command="python benchmarks/graph_shares.py digits usps g50c coil20 waveform "
    "ionosphere",
)
NEWTON_LIMITS = _measured(
    "NEWTON_LIMITS",
    NewtonLimits(rows=5000, rows_per_column=500, max_rows=10_000, labels=2000),
    reason="Newton's method is exact, but its factorization grows with the cube of the "
    "rows; conjugate gradient is faster beyond, the later the more classes share the "
    "factorization.",
    data="mnist and generated Gaussians, 2,000 to 20,000 rows",
    command=_SPEED.format("laplacian"),
)
HOLDOUT_SIZE = _measured(
    "HOLDOUT_SIZE",
    HoldoutSize(rows=2000, labels=500),
    reason="Where conjugate gradient is used, leave-one-out scores come from Newton's "
    "method on so many rows and labels, which takes less than a second; the weights of "
    "the graph are near those of all rows.",
    data="two moons, 2,300 rows",
    command="pytest tests/estimators/test_laplacian_svc.py -k part_of_many_rows",
)
NOTEWORTHY_SHARE = _measured(
    "NOTEWORTHY_SHARE",
    0.1,
    reason="With a smaller share of the graph, rows that no label reaches along it are "
    "classified as by the kernel alone, which needs no warning.",
    data="two far groups of rows, one of them labeled",
    command="pytest tests/estimators/test_laplacian_svc.py -k components",
)
DECISION_TOLERANCE = _measured(
    "DECISION_TOLERANCE",
    0.015,
    reason="Share of changed decisions below which conjugate gradient stops, as in "
    "Melacci and Belkin (2011).",
    data="the sets of the paper",
    command="widemargin bench run laplacian",
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
    0.85,
    reason="Each model of a path relies more on the unlabeled rows than the one before "
    "it, so that the cautious one is favored where no label can be held out. The log "
    "loss and the calibrated scores also favor it: with 0.7, which release 0.1 used "
    "with the share of errors, label search had 0.14 points more error than 0.1, with "
    "0.85 0.02 less (standard error 0.1). 1.0 was lower still (0.11 less), but has no "
    "caution left. Not measured for other estimators.",
    data="13 sets, 20 and 50 labels, 3 to 5 draws, decays of 0.5, 0.7, 0.85 and 1",
    command="python benchmarks/path_prior.py",
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
    command=_SPEED.format("self_labeling"),
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
    command=_SPEED.format("self_labeling"),
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
    command=_SPEED.format("few_labels"),
)

# How labels and clusters are searched --------------------------------------------

DENSE_ROWS = _measured(
    "DENSE_ROWS",
    8192,
    reason="Up to here all ties of a low-rank smoother are kept for searches that read "
    "rows of them, which takes 512 MiB at the most.",
    data=_UNRECORDED,
    command=_SPEED.format("label_search"),
)
UNLABELED_WEIGHTS = _measured(
    "UNLABELED_WEIGHTS",
    (0.1, 0.3, 1.0, 3.0),
    reason="Weights of the unlabeled rows that are averaged over, from little to more "
    "than that of the labels.",
    data=_UNRECORDED,
    command="widemargin bench run few-labels",
)
TABU_FROM_WEIGHT = _measured(
    "TABU_FROM_WEIGHT",
    1.0,
    reason="Unlabeled weight from which tabu search replaces the faster descent.",
    data=_UNRECORDED,
    command="widemargin bench run few-labels",
)
TABU_ROWS = _measured(
    "TABU_ROWS",
    8192,
    reason="Tabu search takes five steps of O(n) per row and reads rows of ties, which "
    "are kept up to `DENSE_ROWS`.",
    data=_UNRECORDED,
    command=_SPEED.format("label_search"),
)
HOLDOUT_ROWS = _measured(
    "HOLDOUT_ROWS",
    1000,
    reason="Labels are held out on so many rows, or on twice as many rows as labels: "
    "five folds on all rows would take five times as long as the fit itself.",
    data=_UNRECORDED,
    command="widemargin bench run few-labels",
)
CLUSTER_GRAPH_WEIGHT = _measured(
    "CLUSTER_GRAPH_WEIGHT",
    10.0,
    reason="Weight of the smoothness along the graph, over the number of rows.",
    data=_UNRECORDED,
    command="widemargin bench run umc-label-free",
)
CLUSTER_WIDTHS = _measured(
    "CLUSTER_WIDTHS",
    (0.25, 0.5, 1.0),
    reason="Widths that are tried, over the median distance between rows.",
    data=_UNRECORDED,
    command="widemargin bench run umc-label-free",
)
CLUSTER_REGS = _measured(
    "CLUSTER_REGS",
    (2.0**-12, 2.0**-9),
    reason="Weights of the kernel norm that are tried.",
    data=_UNRECORDED,
    command="widemargin bench run umc-label-free",
)
CLUSTER_RESHAKES = _measured(
    "CLUSTER_RESHAKES",
    30,
    reason="Trials of local re-shaking.",
    data=_UNRECORDED,
    command="widemargin bench run umc-label-free",
)
CLUSTER_TOLERANCE = _measured(
    "CLUSTER_TOLERANCE",
    0.1,
    reason="How far the share of a cluster may be off the one that the user gave.",
    data=_UNRECORDED,
    command="widemargin bench run umc-equal-sizes",
)
SMALLEST_CLUSTER = _measured(
    "SMALLEST_CLUSTER",
    0.1,
    reason="No cluster is smaller, over the mean size: the objective alone is lowest, "
    "nearly, for a single cluster.",
    data=_UNRECORDED,
    command="widemargin bench run umc-label-free",
)
_CHOICE_DATA = "16 of the problems of umc-label-free, with which the rule was developed"
SOUND_CLUSTER = _measured(
    "SOUND_CLUSTER",
    0.25,
    reason="A smaller cluster, over the mean size, makes a choice of parameters "
    "suspect.",
    data=_CHOICE_DATA,
    command="widemargin bench run umc-label-free",
)
SPECTRUM_HANDICAP = _measured(
    "SPECTRUM_HANDICAP",
    0.1,
    reason="Clusters from the eigenvectors, which have no preference for equal sizes, "
    "must be better by so much in agreement plus stability.",
    data=_CHOICE_DATA,
    command="widemargin bench run umc-label-free",
)
AGREEMENT_NEIGHBORS = _measured(
    "AGREEMENT_NEIGHBORS",
    7,
    reason="Nearest neighbors whose clusters are compared.",
    data=_CHOICE_DATA,
    command="widemargin bench run umc-label-free",
)


class ClusterLimits(NamedTuple):
    """With more rows, clusters are searched and parameters chosen on a part of them."""

    choice_rows: int  # up to so many rows, parameters are chosen on all of them
    choice_sample: int  # for more, on so many
    search_rows: int  # up to so many rows with landmarks, clusters are searched on all
    search_sample: int  # for more, on so many


CLUSTER_LIMITS = _measured(
    "CLUSTER_LIMITS",
    ClusterLimits(1500, 1200, 8192, 4000),
    reason="Parameters are chosen by twelve trials, each O(n^3), and shaking needs all "
    "ties, O(n^2).",
    data=_UNRECORDED,
    command=_SPEED.format("label_search"),
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
    command=_SPEED.format("tri_class"),
)
HINGE_FOLD_TOL = _measured(
    "HINGE_FOLD_TOL",
    10.0,
    reason="Held-out labels need the side of the boundary, not digits: a solver's "
    "tolerance may be ten times as large in folds.",
    data="usps, mnist, pcmac",
    command=_SPEED.format("tri_class"),
)
