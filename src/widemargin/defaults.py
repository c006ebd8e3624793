"""Numbers that decide behaviour and were chosen by measurement, with their evidence.

Above each stand the reason for it, the data that it was chosen on, and a command that
shows results which depend on it. Data that are "not recorded" belong to values of
release 0.1. Other numbers in the source follow from mathematics or from the machine.
"""

from typing import NamedTuple


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


class ClusterLimits(NamedTuple):
    """With more rows, clusters are searched and parameters chosen on a part of them."""

    choice_rows: int  # up to so many rows, parameters are chosen on all of them
    choice_sample: int  # for more, on so many
    search_rows: int  # up to so many rows with landmarks, clusters are searched on all
    search_sample: int  # for more, on so many


# Which functions are learned -----------------------------------------------------

# Few landmarks cannot follow the graph, so that the exact model is kept as long as its
# Gram matrix, 3 GiB at 20,000 rows, fits a laptop. Data: not recorded. Command: `python
# benchmarks/speed/laplacian.py`.
LAPLACIAN_LADDER = Ladder(20_000, 1000)

# A search factorizes the smoother of every weight of the unlabeled rows. Data: not
# recorded. Command: `python benchmarks/speed/label_search.py`.
SEARCH_LADDER = Ladder(3000, 1000)

# Clusters have no labels to recover what landmarks lose, and the smoother is factorized
# once. Data: not recorded. Command: `python benchmarks/speed/label_search.py`.
CLUSTER_LADDER = Ladder(10_000, 1000)

# Sequential minimal optimization slows down with the square of the rows; Newton steps
# on the features of landmarks do not. Data: not recorded. Command: `python
# benchmarks/speed/tri_class.py`.
HINGE_LADDER = Ladder(10_000, 1000)

# The process is factorized for every weight of the unlabeled rows. Data: not recorded.
# Command: `python benchmarks/speed/self_labeling.py`.
PROCESS_LADDER = Ladder(2000, 500)

# A larger Gram matrix is not kept by solvers that read its rows, because of its memory.
# Data: not recorded. Command: `python benchmarks/speed/tri_class.py`.
GRAM_BYTES = 2 * 2**30

# A larger Gram matrix is not kept for the next candidate: computing it takes a small
# part of a fit on that many rows, and its memory would be the peak. Data: digits and
# mnist, 2,000 to 10,000 rows. Command:
# `python tools/versus.py OTHER/src --estimators FewLabelClassifier`.
SHARED_BYTES = 2**28

# How far a graph is used ---------------------------------------------------------

# Shares of the graph in the kernel of Laplacian models. Mean error of these three:
# 12.8 %; without the middle one 13.1 %; of five shares 12.6 %, at five thirds of the
# cost of each fit on the labels. Data: digits, usps, g50c, coil20, waveform,
# ionosphere; 20 and 50 labels. Command: `python
# benchmarks/evidence/graph_shares.py digits usps g50c coil20 waveform ionosphere`.
GRAPH_SHARES = (0.0, 0.75, 1.0)

# Weight of the graph relative to the ambient norm, for each row of a kernel with unit
# diagonal. More of it helps where classes are manifolds and hurts elsewhere: from 2 to
# 8 the error falls on digits (9.0 to 7.5 %) and coil20 (21.9 to 18.9 %) and rises on
# usps (13.7 to 14.5 %) and g50c (8.5 to 9.2 %). Data: as for
# GRAPH_SHARES. Command: `python benchmarks/evidence/graph_shares.py digits`.
GRAPH_RATIO = 2.0

# Newton's method is exact, but its factorization grows with the cube of the rows, and
# all classes share it. Data: not recorded. Command: `python
# benchmarks/speed/laplacian.py`.
NEWTON_LIMITS = NewtonLimits(
    rows=5000, rows_per_column=500, max_rows=10_000, labels=2000
)

# Where conjugate gradient is used, leave-one-out scores come from Newton's method on so
# many rows and labels, which takes less than a second; the weights of the graph are
# near those of all rows. Data: two moons, 2,300 rows. Command:
# `pytest tests/estimators/test_laplacian_svc.py -k part_of_many_rows`.
HOLDOUT_SIZE = HoldoutSize(2000, 500)

# With a smaller share of the graph, rows that no label reaches along it are classified
# as by the kernel alone, which needs no warning. Data: two far groups of rows, one of
# them labeled. Command: `pytest tests/estimators/test_laplacian_svc.py -k components`.
NOTEWORTHY_SHARE = 0.1

# Share of changed decisions below which conjugate gradient stops, as in Melacci and
# Belkin (2011). Data: the sets of the paper. Command:
# `widemargin bench run laplacian-early-stopping`.
DECISION_TOLERANCE = 0.015

# How models are averaged ---------------------------------------------------------

# Bayes' rule (1.0) assumes that held-out labels are independent of what tuned the
# models. Data: not recorded. Command: `widemargin bench run few-labels
# few-labels-mixed`.
TRUST = 0.5

# Where nothing was tuned by the labels, because the average runs over all widths and
# penalties, Bayes' rule holds as it is: the mean error of the ridge average is 11.8 %,
# and 11.9 % with `TRUST`; on larger sets 16.15 % and 16.32 %. Data: two moons, three
# pairs of digits, iris, thyroid, pima, ionosphere, g50c; 6 to 50 labels, five draws.
# Then iris, thyroid, pima, ionosphere, two moons, g50c, splice, coil20, digits, uspst,
# waveform, ringnorm; 10 to 100 labels, 20 draws. Command:
# `python benchmarks/evidence/self_labeling.py ridge`.
UNTUNED_TRUST = 1.0

# A held-out label that a model calls impossible, such as a wrong label, would otherwise
# outweigh all others. Data: not recorded. Command: `widemargin bench run few-labels
# few-labels-mixed`.
LEAST_PROBABILITY = 0.02

# Median of the prior of the slope; with few labels the fitted slope stays near it.
# Data: not recorded. Command: `widemargin bench run few-labels`.
CALIBRATION_CENTER = 3.0

# Standard deviation of the logarithm of that slope under its prior. Data: not recorded.
# Command: `widemargin bench run few-labels`.
CALIBRATION_SPREAD = 0.5

# Each model of a path relies more on the unlabeled rows than the one before it, so that
# the cautious one is favored where no label can be held out. The log loss and the
# calibrated scores also favor it: with 0.7, which release 0.1 used with the share of
# errors, label search had 0.14 points more error than 0.1, with 0.85 0.02 less
# (standard error 0.1). 1.0 was lower still (0.11 less), but has no caution left. Not
# measured for other estimators. Data: 13 sets, 20 and 50 labels, 3 to 5 draws, decays
# of 0.5, 0.7, 0.85 and 1. Command: `python benchmarks/evidence/path_prior.py`.
PATH_DECAY = 0.85

# How self-labeling relabels ------------------------------------------------------

# Weight of a given label, which is right, while one that the model gave itself may not
# be: the mean error is 8.4 %, with equal weights, as in the paper, 9.9 %, and with a
# weight of 100 9.1 %. Data: two moons, three pairs of digits, iris, thyroid, pima,
# ionosphere, g50c; 6, 10, 20 and 50 labels, five draws. Command:
# `python benchmarks/evidence/self_labeling.py self-labeling`.
LABELED_WEIGHT = 10.0

# Labels that are found while unlabeled rows have little weight are a better start than
# those of the given labels alone: the mean error is 8.4 %, and 8.5 % with the last
# weight at once. Data: as for LABELED_WEIGHT. Command:
# `python benchmarks/evidence/self_labeling.py self-labeling`.
ANNEALING_WEIGHTS = (0.01, 0.1, 0.3, 1.0)

# Where clusters are not classes, many unlabeled rows outvote the labels: without a
# limit the error on waveform was two points above that of the labels alone. Data:
# waveform. Command: `widemargin bench run defaults`.
MAX_UNLABELED_RATIO = 4.0

# The number of rounds until no label changes grows with the number of rows. Data: not
# recorded. Command: `python benchmarks/speed/self_labeling.py`.
RELABEL_TOL = 1e-3

# Variance of the noise of targets -1 and +1: the mean error is 8.4 %, with 0.1 8.9 %
# and with 2 9.4 %. Data: as for LABELED_WEIGHT. Command:
# `python benchmarks/evidence/self_labeling.py self-labeling`.
PROCESS_NOISE = 0.5

# Prior log odds that each label gives to the start from the labels against the side of
# a kernel component: the mean error is 8.42 %, with 0 8.45 %, with 0.2 8.90 %, and
# without components 9.18 %. Data: as for LABELED_WEIGHT, sets of two classes. Command:
# `pytest tests/estimators/test_self_labeling.py -k components`.
START_LOG_ODDS = 0.05

# One evaluation of the evidence takes time that is cubic in the rows, and learning
# takes some hundred of them. Data: not recorded. Command:
# `python benchmarks/speed/self_labeling.py`.
EVIDENCE_ROWS = 1000

# The supervised average ----------------------------------------------------------

# Multiples of the width by rule; the smallest are almost linear. Data: not recorded.
# Command: `widemargin bench run few-labels`.
RIDGE_WIDTHS = (1 / 64, 1 / 16, 1 / 4, 1.0, 4.0)

# Weights of the kernel norm, from hardly any to a strong penalty. Data: not recorded.
# Command: `widemargin bench run few-labels`.
RIDGE_PENALTIES = (1e-3, 1e-2, 1e-1, 1.0)

# Few labels may prefer an almost linear kernel; other models hardly bend with it,
# because their penalties stay as they are. Data: not recorded. Command:
# `widemargin bench run few-labels`.
WIDEST_FOR_OTHERS = 0.1

# The kernel between the labels is decomposed once for each width, which takes time that
# is cubic in the labels. Data: not recorded. Command:
# `python benchmarks/speed/few_labels.py`.
RIDGE_LABELS = 2000

# How labels and clusters are searched --------------------------------------------

# Up to here all ties of a low-rank smoother are kept for searches that read rows of
# them, which takes 512 MiB at the most. Data: not recorded. Command:
# `python benchmarks/speed/label_search.py`.
DENSE_ROWS = 8192

# Weights of the unlabeled rows that are averaged over, from little to more than that of
# the labels. Data: not recorded. Command: `widemargin bench run few-labels`.
UNLABELED_WEIGHTS = (0.1, 0.3, 1.0, 3.0)

# Unlabeled weight from which tabu search replaces the faster descent. Data: not
# recorded. Command: `widemargin bench run few-labels`.
TABU_FROM_WEIGHT = 1.0

# Tabu search takes five steps of O(n) per row and reads rows of ties, which are kept up
# to `DENSE_ROWS`. Data: not recorded. Command:
# `python benchmarks/speed/label_search.py`.
TABU_ROWS = 8192

# Labels are held out on so many rows, or on twice as many rows as labels: five folds on
# all rows would take five times as long as the fit itself. Data: not recorded. Command:
# `widemargin bench run few-labels`.
HOLDOUT_ROWS = 1000

# Weight of the smoothness along the graph, over the number of rows. Data: not recorded.
# Command: `widemargin bench run umc-label-free`.
CLUSTER_GRAPH_WEIGHT = 10.0

# Widths that are tried, over the median distance between rows. Data: not recorded.
# Command: `widemargin bench run umc-label-free`.
CLUSTER_WIDTHS = (0.25, 0.5, 1.0)

# Weights of the kernel norm that are tried. Data: not recorded. Command:
# `widemargin bench run umc-label-free`.
CLUSTER_REGS = (2.0**-12, 2.0**-9)

# Trials of local re-shaking. Data: not recorded. Command:
# `widemargin bench run umc-label-free`.
CLUSTER_RESHAKES = 30

# How far the share of a cluster may be off the one that the user gave. Data: not
# recorded. Command: `widemargin bench run umc-equal-sizes`.
CLUSTER_TOLERANCE = 0.1

# No cluster is smaller, over the mean size: the objective alone is lowest, nearly, for
# a single cluster. Data: not recorded. Command: `widemargin bench run umc-label-free`.
SMALLEST_CLUSTER = 0.1

# A smaller cluster, over the mean size, makes a choice of parameters suspect. Data: 16
# of the problems of umc-label-free, with which the rule was developed. Command:
# `widemargin bench run umc-label-free`.
SOUND_CLUSTER = 0.25

# Clusters from the eigenvectors, which have no preference for equal sizes, must be
# better by so much in agreement plus stability. Data: as for SOUND_CLUSTER. Command:
# `widemargin bench run umc-label-free`.
SPECTRUM_HANDICAP = 0.1

# Nearest neighbors whose clusters are compared. Data: as for SOUND_CLUSTER. Command:
# `widemargin bench run umc-label-free`.
AGREEMENT_NEIGHBORS = 7

# Parameters are chosen by twelve trials, each O(n^3), and shaking needs all ties,
# O(n^2). Data: not recorded. Command: `python benchmarks/speed/label_search.py`.
CLUSTER_LIMITS = ClusterLimits(1500, 1200, 8192, 4000)

# How hinge models use unlabeled rows ---------------------------------------------

# From hardly any influence of the unlabeled rows to as much as all labels have;
# held-out labels weigh the models. Data: the eleven sets of the tables of defaults.
# Command: `widemargin bench run defaults`.
HINGE_WEIGHTS = (0.1, 0.3, 1.0)

# The models of five folds on all rows would take five times as long as the model
# itself; where features make rows cheap, more of them show better what many unlabeled
# rows per label do. Data: usps, mnist, pcmac. Command:
# `python benchmarks/speed/tri_class.py`.
HINGE_HOLDOUT = Holdout(1000, 20, 20_000, 1000)

# Held-out labels need the side of the boundary, not digits: a solver's tolerance may be
# ten times as large in folds. Data: usps, mnist, pcmac. Command:
# `python benchmarks/speed/tri_class.py`.
HINGE_FOLD_TOL = 10.0
