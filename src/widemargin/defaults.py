"""Numbers that decide behaviour and were chosen by measurement, with their evidence.

Above each stand the reason for it, the data that it was chosen on, and a command that
shows results which depend on it. Where data are "not recorded", the value was not
compared with others. Other numbers follow from mathematics or from the machine.
"""

from typing import NamedTuple


class AnchorRule(NamedTuple):
    """Points that stand for the rows of many blocks."""

    most: int  # anchors
    rows_per_anchor: int  # at least
    n_neighbors: int  # anchors that a row is joined to
    rows_per_center: int  # drawn at random to find them


class Ladder(NamedTuple):
    """From the exact kernel to landmarks."""

    exact_rows: int  # largest number of rows whose Gram matrix is kept
    n_landmarks: int  # landmarks for more


class NewtonLimits(NamedTuple):
    """Up to which size Laplacian models are found by Newton's method."""

    rows: int
    rows_per_column: int  # more rows for each column of scores
    max_rows: int
    labels: int


class GraphPowers(NamedTuple):
    """Powers of a graph Laplacian that are averaged over."""

    powers: tuple
    dimensions_per_power: float  # power 2 suits two dimensions, the next this many more
    least_prior: float  # a power with a smaller prior weight is left out


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


class TriClassWeights(NamedTuple):
    """Weights of unlabeled rows in the models that `TriClassSVC` averages, by loss.

    A loss without weights is not among them.
    """

    direct: tuple = ()  # the min loss itself
    transductive: tuple = ()  # every row is relevant
    relaxed: tuple = ()


class ClusterLimits(NamedTuple):
    """With more rows, clusters are searched and parameters chosen on a part of them."""

    choice_rows: int  # largest number of rows on all of which parameters are chosen
    choice_sample: int  # number of rows for that if there are more
    search_rows: int  # the same for the search of clusters, with landmarks
    search_sample: int  # number of rows for that if there are more
    graph_rows: int  # with more, clusters are found along the graph of all rows


class ClusterDirections(NamedTuple):
    """Functions in which clusters are searched while parameters are chosen."""

    graph: int  # the smoothest ones along the graph
    kernel: int  # the leading ones of the widest kernel


class CurveGraph(NamedTuple):
    """The graph of rows that lie along curves."""

    dimension: float  # of the graph, below which they do
    n_neighbors: int
    rows_per_cluster: int  # on average, at least: walks end soon in small clusters


class DiscreteRule(NamedTuple):
    """Columns of few values among others, when clusters are searched."""

    most_values: int
    rows_per_value: int  # on average, at least
    share: float  # of the distance to a near row that a gap between values may be
    most_rows: int  # whose distances are compared
    rounding: float  # variance that Gaussians get, over squared gaps


class MixtureRule(NamedTuple):
    """When a mixture of Gaussians replaces the clusters that it was fitted from."""

    misfits: float  # times the misfit that other clusters must gain
    overlap: float  # adjusted Rand index from which clusters are the same ones
    most_dims: int  # principal components
    rows_per_dim: int  # and cluster, on average, at least
    most_rows: int  # for the fit, of more rows as many are drawn
    prior_rows: float  # weight of the prior covariance, over dimensions plus two
    n_folds: int


class NumberRule(NamedTuple):
    """How the number of clusters is chosen."""

    tolerance: float  # within which sums of agreement and stability are the same
    most_dims: int  # principal components in which Gaussians are counted
    rows_per_dim: int  # at least
    n_folds: int
    n_splits: int  # into halves
    replication: float  # from which Gaussians of halves are the same ones


class OutlierRule(NamedTuple):
    """Which rows belong to no cluster."""

    n_neighbors: int  # that a row in the dense part of a cluster has within reach
    spreads: float  # of the log distances that rows need, above their median
    uniform_spread: float  # the least spread, times the number of features


class SpectralGrid(NamedTuple):
    """Prior covariances of closed-form models."""

    widths: tuple  # of the kernel between labels, over the width by rule
    noises: tuple  # variances, for scores of mean variance one
    constants: tuple  # prior variances of a constant: none, or that of the kernel
    epsilon: float  # eigenvalue where smoothness begins to count, over a later one:
    eigenvalue: int  # its position
    graph_powers: tuple
    graph_shares: tuple  # of the graph in the sum with the kernel
    # While all classes have a single label, these powers of the graph and smaller
    # shares hardly count: their scores fall off too fast around the labels.
    local_powers: tuple
    single_share: float
    kernel_powers: tuple


class SpectrumLevels(NamedTuple):
    """How eigenvectors of the graph of many rows are found."""

    rows: int  # from so many rows on
    coarsest_rows: int  # a graph of so many rows is solved without a smaller one
    most_neighbors: int  # a row with more begins no group: hubs would swallow the graph
    rounds: int  # of corrections on each level
    gain: float  # of a round, for the smoothest function over the least smooth one
    most_products: int  # with the matrix in a round


class TabuRule(NamedTuple):
    """Length of a tabu search, and how long a row that has moved stays in place."""

    steps_per_row: float
    wait: int  # steps,
    rows_per_step: int  # and one more for so many movable rows,
    spread: int  # and up to so many more at random
    rows_per_waiting: int  # of so many movable rows, one waits at most


class SuggestionRule(NamedTuple):
    """Which rows are suggested to be labeled next."""

    n_first: int  # labels of rows in the middle of clusters, before others
    check_every: int  # one of this many rows is drawn at random
    power: float  # of the uncertainty of a row in its weight
    noise: float  # variance, for scores of mean variance one
    n_models: int  # covariances of largest weight, whose variances are lowered


class CellSearch(NamedTuple):
    """How approximate nearest neighbors are found."""

    cells: float  # their number is the square root of so many times the rows
    least_rows: int  # rows per cell, on average, at least
    rows_per_center: int  # drawn for the clustering
    rounds: int  # of the clustering
    checked_rows: int  # whose exact neighbors say how many cells must be searched
    recall: float  # share of their neighbors that must be in those cells
    most_rows: int  # that a row is compared with, whatever that share is


class ExactNeighbors(NamedTuple):
    """Where nearest neighbors are exact."""

    rows: int  # up to so many rows
    features: int  # or so many features
    recall: float  # a user is warned if a smaller share of neighbors is found


class Projection(NamedTuple):
    """How neighbors of sparse rows are found."""

    n_components: int  # leading ones, in which candidates are searched
    candidates: int  # for each neighbor


class SpreadRule(NamedTuple):
    """When columns of small spread are hidden from distances by those of large one."""

    variance: float  # hidden columns hold at most this share of the total
    columns: float  # and are at least this share of the columns
    gap: float  # ratio of the least large to the largest hidden deviation, at least
    same: float  # with such a share of equal values a column is not listed


class FilledRule(NamedTuple):
    """When a column is left out because it is filled in only with the label."""

    labeled: float  # share of the labeled rows that have a value, at least
    unlabeled: float  # share of the others, at most
    chance: float  # of as many values in labeled rows if rows had them at random


# What a user is warned of ---------------------------------------------------------

# Raw wine and breast_cancer (gaps of 22 and 7.7) have 26 and 4 points more error than
# their standardized columns, raw pima (1.5) has 0.6 less (standard errors 0.9 to 1.4).
# Sets that are as they should be, with and without noise, and their principal
# components have gaps up to 1.3; with any set left out, 3 is still between. With a
# sixth of the columns in place of a third, noise on the borders of images would be
# reported, but also raw thyroid (one column of five, 9 points more error). Data:
# few-labels, few-labels-mixed and few-labels-elsewhere; raw tables, 20 labels, five
# draws. Command: `pytest tests/test_rows.py -k spread`.
SPREADS = SpreadRule(variance=0.01, columns=1 / 3, gap=3.0, same=0.9)

# More classes, if most labels are the only one of theirs, look like numbers. Sets with
# one label for each of 26 classes are sound. Data: letter and coil20 in few-labels.
# Command: `pytest tests/test_labels.py -k scattered`.
MANY_CLASSES = 30

# More classes with a single label each may be identifiers, which a warning says. Letter
# has one label for each of 26 classes and coil20 for each of 20; both are sound. Data:
# few-labels. Command: `pytest tests/test_labels.py -k single`.
MANY_SINGLE_CLASSES = 26

# A column with one value per class in all labeled rows is reported as a copy of the
# target if cells in random order would look so with less than this chance. With other
# values than the target it takes 24 labels of two equal classes, 18 of three or of ten;
# with the same numbers 23, 16 and 10. Of 3,200 draws of 10 to 100 labels on tables
# without a copy, 22 are reported, 21 of them on iris and one on wine, all with columns
# that are cut into as many equal parts as there are classes. Data: 16 classification
# sets, columns as they are and cut, 20 draws. Command: `python
# benchmarks/evidence/copies.py`.
COPY_CHANCE = 1e-6

# The same for a column of texts that are the names of the classes, which few columns
# are: 13 labels of two equal classes, 9 of three, 7 of ten. If cut columns have these
# names, 35 of 1,600 draws are reported, 33 of them on iris. Data: as for COPY_CHANCE.
# Command: `python benchmarks/evidence/copies.py`.
NAMED_COPY_CHANCE = 1e-3

# A class in more than this share of the samples may mark unlabeled ones if no other
# mark is there. Complete targets with a class of that size and at least three in all
# are reported as well; no set of the benchmarks is such. Data: the stored sets and
# those of scikit-learn. Command: `pytest tests/test_labels.py -k mark`.
MARK_SHARE = 0.8

# A column that is filled in together with the label, such as an old copy of it, says
# nothing about unlabeled rows. One label in five may have been added since the copy was
# made; the chance keeps tables out in which few cells are filled at all. No column of
# the messy tables is left out. Data: the 20 messy tables of the tests. Command: `pytest
# tests/tables/test_filled.py`.
FILLED_WITH_LABEL_RULE = FilledRule(labeled=0.8, unlabeled=0.02, chance=1e-6)

# Which functions are learned -----------------------------------------------------

# Landmarks and smooth functions of the graph together are about as accurate as the
# exact model (see GRAPH_FUNCTIONS): within 0.4 points on five sets, in about half of
# its time at 5,000 rows. The exact model is kept as long as Newton's method solves it;
# at 20,000 rows release 0.1 took 69 s and 3.6 GiB for it, this takes 5 s and 0.6 GiB.
# Data: see GRAPH_FUNCTIONS. Command: `python benchmarks/evidence/graph_functions.py`.
LAPLACIAN_LADDER = Ladder(10_000, 500)

# Smooth functions along the graph beside landmarks. The accuracy on usps, mnist,
# letter, waveform and coil20 is 0.930, 0.884, 0.509, 0.888 and 0.921, that of the exact
# model 0.929, 0.887, 0.506, 0.890 and 0.919. With 100 functions it is 0.507, 0.888 and
# 0.921 on the last three, in 0.7 times the time; in a prototype on coil20 400 and more
# changed nothing. With any of these three left out 200 are best or level. Other numbers
# were not compared on usps and mnist. Data: 5,000 rows (coil20: 1,440), 100 labels, ten
# draws. Command: `python benchmarks/evidence/graph_functions.py`.
GRAPH_FUNCTIONS = 200

# A search factorizes the smoother of every weight of the unlabeled rows. With 1,500
# rows 1,000 landmarks take 2.4 times the time of the exact kernel and 500 0.9 times;
# the errors, 15.6 % exact, 15.3 % and 14.8 %, differ by less than chance explains. More
# rows were not measured. Data: mnist, usps, waveform; 100 labels, one draw. Command:
# `python benchmarks/evidence/ladders.py --draws 1 SEARCH_LADDER`.
SEARCH_LADDER = Ladder(3000, 1000)

# Clusters have no labels to recover what landmarks lose, and the smoother is factorized
# once. Data: not recorded. Command: `python benchmarks/speed/label_search.py`.
CLUSTER_LADDER = Ladder(10_000, 1000)

# Sequential minimal optimization slows down with the square of the rows; Newton steps
# on the features of landmarks do not. Data: not recorded. Command: `python
# benchmarks/speed/tri_class.py`.
HINGE_LADDER = Ladder(10_000, 1000)

# The process is factorized for every weight of the unlabeled rows. With 4,000 rows 500
# landmarks have the error of the exact kernel, 12.5 % (standard error of the difference
# 0.9), in 0.13 times the time, 250 landmarks 14.1 % and 1,000 13.0 %; with 2,000 rows
# 500 landmarks have 0.1 points less (0.5) in 0.35 times the time, which is 1 s. Data:
# mnist, usps, waveform; 100 labels, two draws. Command: `python
# benchmarks/evidence/ladders.py PROCESS_LADDER`.
PROCESS_LADDER = Ladder(2000, 500)

# A larger Gram matrix is not kept by solvers that read its rows, because of its memory.
# Data: not recorded. Command: `python benchmarks/speed/tri_class.py`.
GRAM_BYTES = 2 * 2**30

# A larger Gram matrix is not kept for the next candidate: computing it takes a small
# part of a fit on that many rows, and its memory would be the peak. Data: digits and
# mnist, 2,000 to 10,000 rows. Command:
# `python tools/versus.py OTHER/src --estimators FewLabelClassifier`.
SHARED_BYTES = 2**28

# Nearest neighbors of many rows, in k-means cells of which the nearest are searched.
# Rounds and rows per center were not compared with other values. How many cells are
# searched follows from the recall on `checked_rows`, whose standard error is 0.003:
# with 0.985 between 0.98 and 0.999 of the neighbors of other rows are found.
# `most_rows` bounds the time where rows have no structure at all. Eight neighbors take
# 2.1, 1.7 and 19 s, with a recall of 0.987, 0.995 and 0.983. Data: mnist (60,000 rows,
# 50 principal components), sheets of 100,000 and 1,000,000 rows. Command: `python
# benchmarks/speed/neighbors.py`.
CELL_SEARCH = CellSearch(
    cells=8.0,
    least_rows=64,
    rows_per_center=32,
    rounds=4,
    checked_rows=512,
    recall=0.985,
    most_rows=30_000,
)

# Up to here the exact search takes less time, and no loops have to be compiled. At
# 5,000, 10,000 and 20,000 x 50 cells take 0.19, 0.45 and 0.56 s, the exact search 0.11,
# 0.42 and 1.64 s; at 50,000 x 2, 3 and 5 cells take 0.43, 0.53 and 0.96 s, a tree 0.12,
# 0.21 and 0.85 s. Data: sheets, and Gaussian rows of few features. Command: `python
# benchmarks/speed/neighbors.py limits`.
EXACT_NEIGHBORS = ExactNeighbors(rows=10_000, features=4, recall=0.5)

# Components of sparse rows that candidates are searched in: 0.67 of the true neighbors
# are found, with 50 components 0.63, with 200 0.69; with 4 and 16 candidates for each
# neighbor 0.63 and 0.71. Data: pcmac, 1,946 rows. Command: `pytest
# tests/graphs/test_cells.py -k sparse`.
PROJECTION = Projection(n_components=100, candidates=8)

# How far a graph is used ---------------------------------------------------------

# Shares of the graph in the kernel of Laplacian models. Mean error of these three:
# 9.8 %; without the middle one 10.9 %; of five shares 9.7 %, at five thirds of the
# cost of each fit on the labels. Data: digits, g50c, coil20, ionosphere; 20 and 50
# labels, three draws. Command: `python
# benchmarks/evidence/graph_shares.py digits g50c coil20 ionosphere`.
GRAPH_SHARES = (0.0, 0.75, 1.0)

# Powers of the Laplacian. Their prior weights follow the dimension of the graph: each
# power needs a factorization, and few labels do not tell them apart. The mean error is
# 9.8 %; with power 1, 2 or 3 alone 10.3, 10.0 and 12.3 %, with equal priors 9.9 %.
# The rule was made on 14 sets of few-labels and then measured on seven others (circles,
# digits, chessboard, blobs, pairs, other clusters, rare class), still with a ratio of 2
# and all intercepts: 19.1 %, with power 3 alone 19.8 %, with equal priors 19.5 %, with
# 1 or 0.5 dimensions per power 19.1 and 19.3 %. Data: as for GRAPH_SHARES. Command:
# `python benchmarks/evidence/graph_shares.py digits g50c coil20 ionosphere`.
GRAPH_POWERS = GraphPowers((1, 2, 3), 0.75, 0.05)

# Log of the prior weight of a model with the graph only against one without it, for one
# label per class; for two it is a quarter, see `Sample.scarcity`. Scarce labels do not
# suffice without the graph, and too few can be held out. The mean error is 9.8 %, with
# 0 10.2 %, with 8, 16 and 48 9.8 %; on two moons of 300 rows with two labels per class
# it is 0.8 %, with 16 1.6 % and with 32 0.3 %, and the seven sets that had no part in
# the rule for GRAPH_POWERS prefer 8 and 16 to 32 by 0.2 points. Data: as for
# GRAPH_SHARES. Command: `python
# benchmarks/evidence/graph_shares.py digits g50c coil20 ionosphere`.
GRAPH_SCARCITY = 24.0

# Weight of the graph relative to the ambient norm, for each row of a kernel with unit
# diagonal and over the square of the power. More of it helps where classes are
# manifolds, which is where the power is low: with power 1, from 2 to 16 the error falls
# on coil20 (15.4 to 13.7 %) and on two moons with four labels (4.9 to 1.6 %). With
# power 3, from 2 to 8 over its square it rises on usps (13.7 to 14.5 %). The mean error
# is 9.8 %, with 4 10.0, with 64 9.5 %, but then g50c has 8.1 % instead of 8.0 %. Data:
# as for GRAPH_SHARES; usps. Command:
# `python benchmarks/evidence/graph_shares.py digits g50c coil20 ionosphere`.
GRAPH_RATIO = 16.0

# Newton's method is exact, but its factorization grows with the cube of the rows, and
# all classes share it. With 2,000 and 4,000 rows of ten classes conjugate gradient
# takes 1.8 and 1.1 times its time, of two classes 1.6 and 0.6 times. With 500, 1,000
# and 2,000 labels it takes 1.2, 0.9 and 0.4 times the time, but has 1.2, 1.7 and 1.75
# points more error (standard error 0.2). More rows than 4,000 were not measured. Data:
# mnist and waveform, 100 labels; 3,000 rows of mnist with more labels; two draws.
# Command: `python benchmarks/evidence/limits.py NEWTON_LIMITS`.
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

# Decisions also look stable while conjugate gradient is slow: it does not stop while
# the objective falls by more than this share of its value from one check to the next.
# On uspst(b) with the weights of Newton's method it stopped at 2 to 3 times the lowest
# objective, with an error of 10.0 % after 100 iterations (mean of four splits), and
# with this bound at 1.3 to 1.4 times, with 7.5 % after 366; the optimum has 6.5 %. On
# g50c and coil20(b) nothing changes by more than 0.1 points. Other values were not
# compared. Data: uspst(b), coil20(b), g50c. Command:
# `widemargin bench run laplacian-newton-weights`.
OBJECTIVE_FALL = 0.01

# How models are averaged ---------------------------------------------------------

# Bayes' rule (1.0) assumes that held-out labels are independent of what tuned the
# models. From 0.25 to 1 the mean errors of `FewLabelClassifier`, `LaplacianSVC` and
# label search stay within 0.15 points, which chance explains; that of the first is 16.7
# %, with 0 16.8 % and with 2 17.1 % (standard error of a difference 0.2). The value
# that is best on the other sets is no better. Data: usps, coil20, waveform, ionosphere,
# pima, splice, thyroid, ringnorm, up to 600 rows; 20 and 50 labels, three draws.
# Command: `python benchmarks/evidence/averaging.py`.
TRUST = 0.5

# Where nothing was tuned by the labels, because the average runs over all that would be
# tuned, Bayes' rule holds as it is: the mean error of an average of kernel ridge models
# in release 0.1 was 11.8 %, and 11.9 % with `TRUST`; on larger sets 16.15 % and
# 16.32 %. Data: two moons, three pairs of digits, iris, thyroid, pima, ionosphere,
# g50c; 6 to 50 labels, five draws. Then iris, thyroid, pima, ionosphere, two moons,
# g50c, splice, coil20, digits, uspst, waveform, ringnorm; 10 to 100 labels, 20 draws.
# Command: `widemargin bench run few-labels`.
UNTUNED_TRUST = 1.0

# A held-out label that a model calls impossible, such as a wrong label, would otherwise
# outweigh all others. This is a safeguard: from 1e-6 to 0.1 no mean error differs by
# more than 0.1 points, nor if a tenth of the labels is wrong (20.9 % with all values).
# Data: as for TRUST. Command: `python benchmarks/evidence/averaging.py`.
LEAST_PROBABILITY = 0.02

# Median of the prior of the slope; with few labels the fitted slope stays near it. The
# log loss of `LaplacianSVC` on unlabeled rows is 0.482 nats, with 2 0.494, with 4.5
# 0.495; that of label search 0.506, 0.519 and 0.520. From 1.5 to 6 the errors stay
# within 0.2 points of those with 3; a larger value is better for one and worse for the
# other. Data: as for TRUST. Command: `python benchmarks/evidence/averaging.py`.
CALIBRATION_CENTER = 3.0

# Standard deviation of the logarithm of that slope under its prior. The log loss of
# `LaplacianSVC` is 0.482 nats, with 0.25 0.489, with 1 0.482 and with 2 0.486; that of
# label search 0.506, 0.512, 0.507 and 0.512: 1 is as good. Errors stay within 0.1
# points. Data: as for TRUST. Command: `python benchmarks/evidence/averaging.py`.
CALIBRATION_SPREAD = 0.5

# The standard error of an estimated error is multiplied by this, because the models
# that were fitted without a label are not those that predict. Data: not recorded.
# Command: `python benchmarks/evidence/chosen_labels.py`.
ERROR_CAUTION = 1.25

# Share of the evidence from which on a report says that unlabeled rows do not help: the
# labels-only model then has three times as much as all others together. Half of the
# evidence would be a difference by chance. Data: not recorded. Command: `widemargin
# bench run few-labels`.
CLEAR_SHARE = 0.75

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
# `python benchmarks/evidence/self_labeling.py`.
LABELED_WEIGHT = 10.0

# Labels that are found while unlabeled rows have little weight are a better start than
# those of the given labels alone: the mean error is 8.4 %, and 8.5 % with the last
# weight at once. Data: as for LABELED_WEIGHT. Command:
# `python benchmarks/evidence/self_labeling.py`.
ANNEALING_WEIGHTS = (0.01, 0.1, 0.3, 1.0)

# Where clusters are not classes, many unlabeled rows outvote the labels: without a
# limit the error on waveform was two points above that of the labels alone. Data:
# waveform. Command: `widemargin bench run defaults`.
MAX_UNLABELED_RATIO = 4.0

# The number of rounds until no label changes grows with the number of rows. With 4,000
# rows that does not show yet: 0 and 1e-4 have 0.1 points less error (standard error
# 0.1) in the same time, 0.01 has 0.5 more (0.3). With 1,000 rows 0.01 has 0.2 more
# (0.1), all others the same. Data: mnist, usps, waveform; 100 labels, two draws.
# Command: `python benchmarks/evidence/limits.py RELABEL_TOL`.
RELABEL_TOL = 1e-3

# Variance of the noise of targets -1 and +1: the mean error is 8.4 %, with 0.1 8.9 %
# and with 2 9.4 %. Data: as for LABELED_WEIGHT. Command:
# `python benchmarks/evidence/self_labeling.py`.
PROCESS_NOISE = 0.5

# Prior log odds that each label gives to the start from the labels against the side of
# a kernel component: the mean error is 8.42 %, with 0 8.45 %, with 0.2 8.90 %, and
# without components 9.18 %. Data: as for LABELED_WEIGHT, sets of two classes. Command:
# `pytest tests/estimators/test_self_labeling.py -k components`.
START_LOG_ODDS = 0.05

# Where the prior of a width that is learned from the given labels has its median, over
# one over the mean squared distance. The mean error is 8.87 %, with 1 9.01 %, with 1.25
# 8.87 %, with 2 8.66 %, and 9.16 % if nothing is learned; but 2 gains a third less on
# pima, and loses with few labels of USPS. The value that is best on the other sets (2
# for all) gains 0.72 points of 11.07 on the set left out; 1.5 was taken by hand, for
# pima. In 20 draws that chose nothing, 18 to 37, learning gains 0.21 points of 8.86
# (ten rows, none of waveform): pima 1.6 (standard error 0.4), ringnorm 1.2 (0.1);
# letter loses 0.6 (0.4) and thyroid 0.5 (0.4). Data: the eleven rows of
# self-labeling-table2 and -table3, draws 10 to 17 (three of waveform). Command: `python
# benchmarks/evidence/self_labeling.py --label-evidence`.
LABEL_WIDTH = 1.5

# Standard deviation of the logarithm of that width. The mean error is 8.87 %, with a
# fixed width 8.91 % and with 0.5 8.83 %, which gains half as much on pima and loses on
# USPS with 61 labels. Data: as for LABEL_WIDTH. Command:
# `python benchmarks/evidence/self_labeling.py --label-evidence`.
LABEL_WIDTH_SD = 0.3

# That of the noise. Labels of classes that overlap need ten times the noise of others:
# with 0.5 the mean error is 9.10 %, that on pima 30.0 instead of 27.8 %. Data: as for
# LABEL_WIDTH. Command: `python benchmarks/evidence/self_labeling.py --label-evidence`.
LABEL_NOISE_SD = 1.0

# Time is cubic in these labels: with 2,000 rows and 50 to 500 labels a fit takes 0.97
# to 1.07 times as long as without learning. More columns than labels take no more time,
# because coordinates replace them. Data: usps, 256 columns. Command:
# `python benchmarks/evidence/self_labeling.py --label-evidence`.
LABEL_EVIDENCE_ROWS = 200

# One evaluation of the evidence takes time that is cubic in the rows, and learning
# takes some hundred of them. Data: not recorded. Command:
# `python benchmarks/speed/self_labeling.py`.
EVIDENCE_ROWS = 1000

# How labels and clusters are searched --------------------------------------------

# Unless the user gives a tolerance, a class may be so many times larger or smaller than
# its share of the labels suggests. Data: not recorded. Command: `widemargin bench run
# few-labels`.
SIZE_FACTOR = 1.5

# Up to here all ties of a low-rank smoother are kept for searches that read rows of
# them, which takes 512 MiB at the most. Data: not recorded. Command:
# `python benchmarks/speed/label_search.py`.
DENSE_ROWS = 8192

# Weights of the unlabeled rows that are averaged over, from little to more than that of
# the labels. The mean error of `LabelSearchClassifier` is 15.5 %. One weight alone:
# with 0.1 0.5 points more (standard error 0.5), with 0.3 0.3 more (0.4), with 1 0.1
# less (0.2) in a third of the time, with 3 0.4 more (0.5); chance explains these.
# Without 3 it is the same, with 10 as well 0.2 more (0.1). Data: usps, coil20, g50c,
# waveform, ionosphere, pima, splice, thyroid, digits, ringnorm, up to 400 rows; 20 and
# 50 labels, two draws. Command: `python benchmarks/evidence/unlabeled_weights.py`.
UNLABELED_WEIGHTS = (0.1, 0.3, 1.0, 3.0)

# Rule for the automatic kernel width of `LabelSearchClassifier`. The mean error is
# 15.9 %, with "scale", twice this gamma, 0.2 points more (standard error 0.6), with
# "median" 0.2 less (0.1). "mean" was chosen on 22 rows of its paper's Table 3 with up
# to 28 labels, three draws: 6.4 % against 10.0 % with "scale" (1.5); these figures are
# not recorded, and the command does not measure them. Data: as for UNLABELED_WEIGHTS.
# Command: `python benchmarks/evidence/unlabeled_weights.py SEARCH_WIDTH`.
SEARCH_WIDTH = "mean"

# Unlabeled weight from which tabu search replaces the faster descent. Tabu search for
# all weights has the same error in 1.2 times the time, for none 0.3 points more
# (standard error 0.3) in 0.8 times the time. Data: as for UNLABELED_WEIGHTS. Command:
# `python benchmarks/evidence/unlabeled_weights.py`.
TABU_FROM_WEIGHT = 1.0

# Tabu search takes five steps of O(n) per row and reads rows of ties, which are kept up
# to `DENSE_ROWS`. Data: not recorded. Command:
# `python benchmarks/speed/label_search.py`.
TABU_ROWS = 8192

# A row that has moved waits before it may move again, longer if there are more rows,
# and at random so that moves do not repeat; most rows must not wait. Data: not
# recorded. Command: `python benchmarks/evidence/unlabeled_weights.py`.
TABU = TabuRule(
    steps_per_row=5.0, wait=10, rows_per_step=100, spread=10, rows_per_waiting=4
)

# Labels are held out on so many rows, or on twice as many rows as labels: five folds on
# all rows would take five times as long as the fit itself. Data: not recorded. Command:
# `widemargin bench run few-labels`.
HOLDOUT_ROWS = 1000

# Weight of the smoothness along the graph, over the number of rows. The mean adjusted
# Rand index is 0.716, with 3, 30 and 100 0.719 to 0.722 (standard error of a difference
# 0.02), with 1 0.677 (0.02) and without the graph 0.688 (0.03). Data: as for
# CLUSTER_WIDTHS, one seed. Command: `python
# benchmarks/evidence/clusters.py CLUSTER_GRAPH_WEIGHT`.
CLUSTER_GRAPH_WEIGHT = 10.0

# Widths that are tried, over the median distance between rows. The mean adjusted Rand
# index is 0.671; with 1 alone 0.05 less (standard error 0.03), with 0.25 or 0.5 alone
# the same, without 1 0.02 more (0.02), with 0.125 and 2 as well 0.02 more (0.02). Data:
# the problems of umc-label-free but coil20, up to 300 rows, two seeds. Command: `python
# benchmarks/evidence/clusters.py --seeds 2 rule`.
CLUSTER_WIDTHS = (0.25, 0.5, 1.0)

# Weights of the kernel norm that are tried. The mean adjusted Rand index is 0.671; with
# one of both alone 0.669 and 0.661, with 2^-6 alone 0.651, with 2^-15 and 2^-6 as well
# 0.692, 0.02 more (standard error 0.02). Data: as for CLUSTER_WIDTHS. Command: `python
# benchmarks/evidence/clusters.py --seeds 2 rule`.
CLUSTER_REGS = (2.0**-12, 2.0**-9)

# Trials that search in a few shared functions need no factorization of all rows. The
# mean adjusted Rand index is 0.725, with 100 and 60 functions 0.721, with 100 of both
# 0.722; with all functions and 30 trials of re-shaking (release 0.1) it is 0.724, in
# twice the time (standard error of a difference 0.004). The graph alone has 0.72 but
# loses 0.15 on g50c. With any problem left out the choice is the same. Data: the
# problems of umc-label-free, three seeds. Command: `widemargin bench run
# umc-label-free`.
CLUSTER_DIRECTIONS = ClusterDirections(200, 100)

# Trials of local re-shaking per cluster. The mean adjusted Rand index is 0.675; with
# none 0.014 less (standard error 0.009), with 1 0.004 less (0.004), with 5 and 10 the
# same in 1.4 and 1.9 times the time. Data: as for CLUSTER_WIDTHS, one seed. Command:
# `python benchmarks/evidence/clusters.py CLUSTER_RESHAKES`.
CLUSTER_RESHAKES = 2

# How far the share of a cluster may be off the one that the user gave: as in the first
# experiments of Gieseke et al. (2012), where class shares are known (epsilon of 0.1).
# Data: not recorded. Command: `widemargin bench run umc-equal-sizes`.
CLUSTER_TOLERANCE = 0.1

# No cluster is smaller, over the mean size: the objective alone is lowest, nearly, for
# a single cluster. Data: not recorded. Command: `widemargin bench run umc-label-free`.
SMALLEST_CLUSTER = 0.1

# A smaller cluster, over the mean size, makes a choice of parameters suspect. The mean
# adjusted Rand index of the chosen trials is 0.670, with 0 and 0.1 0.669, with 0.4
# 0.650 and with 0.6 0.646 (standard error of both differences 0.024). The value was
# chosen on 16 of the problems. Data: as for CLUSTER_WIDTHS, one seed. Command: `python
# benchmarks/evidence/clusters.py rule`.
SOUND_CLUSTER = 0.25

# Clusters from the eigenvectors, which have no preference for equal sizes, must be
# better by so much in agreement plus stability. The mean adjusted Rand index is 0.611
# on the sets of defaults-clustering and 0.759 on the problems of umc-label-free; with 0
# it is 0.601 and 0.720, with 0.05 0.611 and 0.741, with 0.2 the same as with 0.1, and
# without these clusters 0.612 and 0.759. Data: as for MIXTURE. Command: `python
# benchmarks/evidence/clusters.py left-out`.
SPECTRUM_HANDICAP = 0.1

# Nearest neighbors whose clusters are compared. The mean adjusted Rand index of the
# chosen trials is 0.670, with 5 and 10 the same, with 3 0.679 and with 20 0.669
# (standard errors of the differences up to 0.008). Data: as for SOUND_CLUSTER. Command:
# `python benchmarks/evidence/clusters.py rule`.
AGREEMENT_NEIGHBORS = 7

# Parameters are chosen by twelve trials, each O(n^2), and shaking needs all ties,
# O(n^2). With 700 rows for the choice the mean adjusted Rand index is 0.86 on digits
# and 0.76 on uspst, with 600 0.83 and 0.72, with 800 0.87 and 0.76 in 1.15 times the
# time; other limits are not recorded. Along the graph of all rows the index is 0.74
# on 60,000 rows of mnist in 6 s (by landmarks 0.24 to 0.61 in 28 to 67 s), and 0.75 on
# usps (search 0.73, in minutes). Data: digits and uspst, three seeds; usps, mnist.
# Command:
# `python benchmarks/evidence/clusters.py CLUSTER_LIMITS`.
CLUSTER_LIMITS = ClusterLimits(1500, 700, 8192, 4000, 5000)

# Starts of k-means in the smoothest functions along a graph. On usps the best of 5 had
# an adjusted Rand index of 0.743 with a standard deviation of 0.039 over seeds (0.66 at
# worst), the best of 20 always 0.752; on 5,000 rows of mnist it was 0.580 (0.018) and
# 0.582 (0.001). A start took 0.01 s. The command compares 1, 5 and 20 starts on usps
# and 9,000 rows of mnist, in whole fits. Data: not recorded. Command: `python
# benchmarks/evidence/clusters.py --seeds 5 GRAPH_STARTS`.
GRAPH_STARTS = 20

# Numbers of clusters among which "auto" chooses (and one); each takes as long as a
# choice of parameters, 0.3 to 1.5 s. Data: not recorded. Command: `python
# benchmarks/evidence/cluster_numbers.py`.
CLUSTER_NUMBERS = tuple(range(2, 13))

# Sums of agreement and stability that differ by less than 0.01 are the same: clusters
# that are far apart are as stable if two of them are joined (five objects of coil20,
# for which four and five clusters both have the largest sum). Gaussians are counted in
# five components; with a component per 60 rows (3 to 20) the numbers were the same but
# for iris. Mixtures of halves agree by 0.89 and more where clusters are Gaussian (g50c,
# gaussian4c, and the blobs of the script) and by 0.75 and less where they are not, so
# that every limit between is the same: if it is chosen halfway without one of the sets,
# 6 of the first 8 have their true number, as with 0.8. By stability alone it is 5.
# Folds and splits were not varied. Data: the sets of the script. Command: `python
# benchmarks/evidence/cluster_numbers.py`, and with `--own`.
NUMBER_RULE = NumberRule(0.01, 5, 30, 5, 6, 0.8)

# With 3 spreads 82 % of uniform noise is left out, 0.5 % of the rows of clusters beside
# it, and 3.8 % of single Gaussians without noise; with 2.5 spreads 87, 1.2 and 6.0 %,
# with 2 91, 3.1 and 9.8 %, with 3.5 75, 0.2 and 2.1 %, and with 10 neighbors 83, 0.6
# and 3.9 %. The spread of uniform rows is 0.47 in one to three dimensions, divided by
# their number, and larger in more; without it as a lower limit these figures are the
# same up to 0.1 %, but rounded rows have outliers. Data: blobs with 10 and 30 % of
# noise in 2 to 30 dimensions, and Gaussians of 150 to 1,000 rows in 2 to 10; three
# seeds. None was left out: the value is a compromise of the three figures. Command:
# `python benchmarks/evidence/outliers.py`.
OUTLIER_RULE = OutlierRule(5, 3.0, 0.47)

# Along a curve a row has two sides, and more neighbors join one curve to the next. With
# 3 neighbors the adjusted Rand index on coil20 is 0.90, with 8 0.80; on four parts of
# coil20 it is 1.00 and 0.99, on moons, circles and iris the same. The dimension of
# these graphs is 1.0 to 1.35, that of letters 1.6 and of all others 1.8 and more; it is
# too small for clouds of 15 to 45 rows in the plane, and the rows per cluster are below
# those of the sets above. All three were chosen on these sets, none left out. On the
# data of MIXTURE the mean index is 0.611 and 0.759, without this rule 0.608 and 0.755,
# with a dimension of 1.2 the same as without, with 1.7 and 2 up to 0.002 more; see
# MIXTURE for the choice on other data. Data: the problems of umc-label-free, two or
# three seeds. Command: `python
# benchmarks/evidence/clusters.py CLUSTER_CURVES left-out`.
CLUSTER_CURVES = CurveGraph(1.5, 3, 50)

# A one-hot column of 0 and 1 must not separate rows that are near each other otherwise.
# With half of the distance to a near row as the widest gap, the mean adjusted Rand
# index is 0.959, with a quarter 0.958, with the whole distance 0.828. With a variance
# of a sixth of the squared gap it is 0.941 (two or three seeds); in a prototype without
# noise for the misfit it was 0.942, with a quarter 0.940, with a third 0.937. Without
# the rule it is 0.653; k-means has 0.862. The values up to which a column counts, rows
# per value and the rows drawn were not compared. Data: 20 kinds of generated tables,
# one seed unless stated. Command: `python benchmarks/evidence/cluster_categories.py`,
# and with `--constants`.
DISCRETE = DiscreteRule(10, 10, 0.5, 300, 1 / 6)

# Mixtures of Gaussians that start from the clusters of the search. The mean adjusted
# Rand index is 0.618 on the sets of defaults-clustering (up to 1,000 rows) and 0.762 on
# the problems of umc-label-free; without mixtures 0.503 and 0.726. With factors of the
# misfit from 0.5 to 1 it is 0.609 and 0.757, with 3 the same; without the rule for the
# same clusters 0.610 and 0.751, with an overlap from 0.9 on 0.614 and 0.760; with 12
# components 0.599 and 0.757, with 3 rows per dimension 0.615 and 0.761. The form of
# the rule, the start and the prior weight were chosen on all of the data: in an earlier
# form prior weights of 0.03 to 0.3 were within 0.006. These figures are those of a
# prototype without CLUSTER_CURVES. With all rules as they are, the index is 0.611 and
# 0.759, without mixtures 0.499 and 0.727. If the factor, the overlap, SPECTRUM_HANDICAP
# and the dimension of CLUSTER_CURVES are chosen on data of other sources, it is 0.603
# and 0.755. Data: these 49, up to 1,000 rows, one seed. Command: `python
# benchmarks/evidence/clusters.py MIXTURE left-out`.
MIXTURE = MixtureRule(2.0, 0.8, 20, 5, 1000, 0.1, 3)

# Widths below 1 with which Gaussian clusters are compared. The best one was 0.8 for
# most images, 0.6 for thyroid and pima, 0.3 for moons, circles and coil20, and 1 for
# clusters that are Gaussian. Data: as for MIXTURE. Command: `python
# benchmarks/evidence/clusters.py MIXTURE`.
MIXTURE_WIDTHS = (1.0, 0.8, 0.6, 0.3)

# How hinge models use unlabeled rows ---------------------------------------------

# From hardly any influence of the unlabeled rows to as much as all labels have;
# held-out labels weigh the models. The mean error of `TransductiveSVC` is 15.3 %; with
# 0.1 alone 1.0 points more (standard error 0.4), with 1 alone 0.7 more (0.3), without
# 0.3 0.2 more (0.1), with 3 as well 0.2 less (0.1) in 1.4 times the time. Data: as for
# UNLABELED_WEIGHTS. Command: `python benchmarks/evidence/unlabeled_weights.py`.
HINGE_WEIGHTS = (0.1, 0.3, 1.0)

# The same for `TriClassSVC`, which averages models of several losses. The mean error is
# 15.0 % on the digits of its paper and 7.0 % on ordinary sets; with the min loss in
# place of the transductive one 15.5 and 8.2 %, with both 15.1 and 7.1 %. With a
# transductive weight of 1 in place of 0.1 it is 14.9 and 6.7 %, without the relaxation
# 15.1 and 6.3 %, but where nine of ten unlabeled rows are irrelevant these are up to
# 0.6 and 1.5 points worse than a tuned SVM; the latter has 32 in place of 17.5 % on the
# synthetic rows. Of the values that are never worse than the SVM, the digits of USPS,
# those of MNIST and the ordinary sets each lead to the same one. Data: tri-digits (ten
# draws), g50c, ionosphere, iris, wine, breast_cancer and digits (two draws), five draws
# of tri-synthetic. Command: `python benchmarks/evidence/tri_class.py`.
TRI_CLASS_WEIGHTS = TriClassWeights(transductive=(0.1,), relaxed=(0.1, 1.0))

# What gamma="auto" of `TriClassSVC` means. With "scale", twice this gamma, the mean
# error is 15.7 in place of 15.0 % on digits; on ordinary sets it is 7.1 and 7.0 %
# (ionosphere 9.1 and 9.8, iris 4.0 and 2.5, digits 10.0 and 11.5). Data: as for
# TRI_CLASS_WEIGHTS. Command: `python benchmarks/evidence/tri_class.py --width scale`.
TRI_CLASS_WIDTH = "mean"

# The models of five folds on all rows would take five times as long as the model
# itself; where features make rows cheap, more of them show better what many unlabeled
# rows per label do. Data: usps, mnist, pcmac. Command:
# `python benchmarks/speed/tri_class.py`.
HINGE_HOLDOUT = Holdout(1000, 20, 20_000, 1000)

# Held-out labels need the side of the boundary, not digits: a solver's tolerance may be
# ten times as large in folds. Data: usps, mnist, pcmac. Command:
# `python benchmarks/speed/tri_class.py`.
HINGE_FOLD_TOL = 10.0

# Closed-form models --------------------------------------------------------------

# The prior covariances that are averaged. The mean error is 16.1 %; without kernel
# powers above 1 it is 19.7 %, with graph power 1 alone 17.5 %, with noises from 0.001
# to 0.1 16.3 %, with an epsilon of 0.03 or 0.3 16.3 %; graph power 3 alone (16.0 %) and
# graph share 1 alone (16.0 %) are level, but which one is best differs between sets.
# Choosing among these with one set left out gives 16.0 %. Other units of epsilon than
# the thirtieth eigenvalue were not compared. Data: few-labels without mnist and
# facemit, two draws. Command: `python benchmarks/evidence/spectral.py`.
# With one label of each class (twelve sets, eight draws) the error is 27.5 %; with
# power 1 and share 0.5 as well 27.9 %, without the evidence of class shares 29.4 %,
# with the constant left to the labels 28.0 %, and with none of these rules 34.3 %. If
# every second class has 18 % of its rows (seven sets) it is 35.3 %, and 40.1 % without
# the rules; but g50c and waveform then lose 10 and 5 points by them, and the choice
# with one set left out would be 41.5 %: see `benchmarks/evidence/single_labels.py`.
SPECTRAL_GRID = SpectralGrid(
    widths=(1 / 64, 1 / 16, 1 / 4, 1.0, 4.0),
    noises=(1e-2, 1e-1, 1.0, 10.0),
    constants=(0.0, 1.0),
    epsilon=0.1,
    eigenvalue=30,
    graph_powers=(1, 2, 3),
    graph_shares=(1.0, 0.9, 0.5),
    local_powers=(1,),
    single_share=0.9,
    kernel_powers=(1, 2, 4, 8),
)

# Eigenvectors of large graphs by way of smaller ones. At 20,000 rows they take 0.7 s
# instead of 6.1, and `SpectralClassifier` has an accuracy of 0.935 and 0.919 with 100
# and 50 labels in both cases; with one round instead of two 0.936 and 0.919 in 0.5 s,
# but eigenvalues are off by up to 0.018 instead of 0.004. Below 10,000 rows nothing is
# gained that a user would notice. The other numbers were not compared. Data: mnist, 50
# principal components, three draws. Command: `python benchmarks/speed/many_rows.py
# spectrum`.
SPECTRUM_LEVELS = SpectrumLevels(
    rows=10_000,
    coarsest_rows=3000,
    most_neighbors=32,
    rounds=2,
    gain=300.0,
    most_products=24,
)

# Numbers of the eigenvectors of a graph or a kernel: from 500,000 rows on there are
# fewer than 200 vectors, 100 for a million rows, of which a fit of `FewLabelClassifier`
# takes 3.1 GiB. Other limits were not compared. Data: sheets. Command: `python
# benchmarks/speed/many_rows.py growth`.
SPECTRUM_VALUES = 10**8

# But no fewer than this: with 50 vectors a prototype had an accuracy of 0.961 and with
# 200 of 0.957, with 1,000 labels 0.966 and 0.970. Data: mnist, 60,000 rows, 100 labels.
# Command: `python benchmarks/speed/many_rows.py mnist`.
LEAST_COMPONENTS = 50

# Principal components of kernels come from so many rows at the most, and are then
# evaluated on all of them. With 7,000 of 15,000 rows `LowDensityClassifier`, which is
# linear in them, has an accuracy of 0.912 and 0.690 with 100 and 10 labels, with all
# rows 0.912 and 0.713 (standard deviation between draws 0.003 and 0.06). Data: mnist,
# 50 principal components, three draws. Command: `python benchmarks/speed/many_rows.py
# parts`.
COMPONENT_ROWS = 20_000

# Prior weight that scarce labels add to models with a graph. The mean error is 16.1 %,
# without it 16.6 %, with 4 16.2 %, with 16 16.1 %. Data: as for SPECTRAL_GRID. Command:
# `python benchmarks/evidence/spectral.py`.
SCARCITY_PRIOR = 8.0

# The class shares that a closed-form model predicts for unlabeled rows count as so many
# labels, or fewer as far as the labels suggest unequal classes (`Sample.evenness`). In
# a prototype with the same models the mean error is 0.1 points lower than without
# (standard error 0.2), with irrelevant rows 0.2 lower (0.2), but 0.2 higher (0.1) if
# half of the classes are thinned to 18 % of their rows. With 10 it is 0.2 and 0.2
# lower, and 0.6 higher; with 5 whatever the labels suggest 0.2 lower for the sets as
# they are, and 0.6 higher if they are thinned. Over all three kinds chance explains the
# differences, and the choice with one set left out is 5 for eight sets and none for
# two.
# Another rule follows the labels more closely: models with a constant have prior odds
# of four times the Bayes factor of unequal classes, the expected shares are those of
# the labels plus one, and self-training keeps the predicted shares instead of the mean
# probabilities. The error of `FewLabelClassifier` is then 15.2 instead of 15.2 % on the
# sets as they are, and 12.6 instead of 13.9 % if every second class from the second on
# is thinned, and 13.7 instead of 13.8 % if it is every second one from the first on
# (standard errors of the differences 0.2, 0.4 and 0.3; these sets and pcmac, three
# draws). On few-labels-elsewhere with 10 labels, eight draws, it is 22.6 instead of
# 22.3 %. A constant in all models has 0.3 points more than now on the sets
# as they are (0.2), and 0.6 (0.3) and 0.0 (0.3) less if they are thinned
# (`SpectralClassifier`, with usps, four draws).
# A simpler rule needs no Bayes factor: odds of two for a constant, shares of the labels
# plus one that always count as five labels, and self-training with shares halfway
# between the mean probabilities and the predicted ones. It was chosen, with any set
# left out, because its errors on these three kinds of sets are 0.2 (0.1) higher, and
# 0.6 (0.2) and 0.3 (0.1) lower (with pcmac; 10, 20 and 50 labels, six draws). On
# few-labels-elsewhere, ten draws, they are 0.2 points higher with 10 labels (0.2) and
# with 20 (0.1), and a rare class with 10 labels still has 1.2 points more than the
# tuned SVC, clean and with irrelevant rows, instead of 1.8: it was not adopted.
# Prior odds of a constant that grow with the unevenness of the label counts were not
# adopted either: they lower the error on thinned sets by 0.3 points or less, raise it
# on the sets as they are by as much, and change that of a rare class by 0.1.
# Data: uspst, g50c, waveform, ionosphere, pima, splice, thyroid, ringnorm,
# Gaussian4C, two moons; 10 and 20 labels, four draws. Command: `python
# benchmarks/evidence/spectral.py --labels 10,20 [--thin 1]`.
SHARE_LABELS = 5.0

# Added to class shares before their logarithm is taken: predicted shares are those of
# few rows, and a rare class may also be missed. Data: not recorded. Command: `python
# benchmarks/evidence/single_labels.py`.
SHARE_FLOOR = 0.01

# Models that held-out labels leave less likely than this, over the best one, predict no
# rows for these shares, which takes time, and are given the least evidence of all.
# Data: not recorded. Command: `python benchmarks/speed/few_labels.py`.
LIKELY_RATIO = 1e-3

# Rows whose class is predicted for these shares: the standard error of a share is at
# most 0.035, and one more label of 9,298 rows takes 4 ms longer for them. Not compared
# with other numbers. Data: usps. Command: `python benchmarks/speed/few_labels.py
# update`.
SHARE_ROWS = 200

# The leading components of a kernel need few landmarks, and the time for them grows
# with the square of their number. Data: not recorded. Command:
# `python benchmarks/speed/few_labels.py`.
SPECTRUM_LADDER = Ladder(0, 500)

# Each prior covariance between labels is inverted for each noise, which takes time that
# is cubic in the labels. Data: not recorded. Command:
# `python benchmarks/speed/few_labels.py`.
SPECTRAL_LABELS = 2000

# Penalties of self-training with least squares, for rows of mean squared length one;
# held-out labels weight them. The mean error of `FewLabelClassifier` is 15.6 %, without
# this model 15.8 % (standard error of the difference 0.2), with 0.01 alone or 1e-4 as
# well 15.6 %, with 0.1 as well 15.5 %. The choice among these with one set left out
# gives 15.5 %. Data: few-labels without mnist and facemit, one draw. Command: `python
# benchmarks/evidence/self_training.py --runs 1`.
SELF_TRAINING_PENALTIES = (1e-3, 1e-2)

# Weight of all unlabeled rows over that of all labels there: with 1, 3 and 30 the mean
# error is 0.1 points higher, which chance explains. Data: as for
# SELF_TRAINING_PENALTIES. Command: `python benchmarks/evidence/self_training.py
# --runs 1`.
SELF_TRAINING_WEIGHT = 10.0

# Self-training shifts the scores of the classes until the logarithms of all shares are
# so close to the expected ones: with 0.1 the error of the average in
# `FewLabelClassifier` was 0.2 points higher (standard error 0.1). Data: few-labels, 21
# draws. Command: `python benchmarks/evidence/self_training.py`.
SHARE_TOLERANCE = 0.02

# Rows whose labels and model are found alternately; more of them mostly take time.
# With 7,000 of 15,000 rows the accuracy is 0.911 and 0.716 with 100 and 10 labels, with
# all rows 0.912 and 0.713. Data: as for COMPONENT_ROWS. Command: `python
# benchmarks/speed/many_rows.py parts`.
LOW_DENSITY_ROWS = 20_000

# Rows in blocks are gathered in one matrix for candidates of `FewLabelClassifier`; the
# others count by way of anchors. A limit is needed, or blocks would have no purpose.
# Data: not recorded. Command: `pytest tests/estimators/test_blocks.py`.
GATHERED_ROWS = 20_000

# Rows in blocks, on a cluster for example, are joined to anchors. In a prototype with
# 2,000, 5,000, 10,000 and 20,000 of them, from 20 rows per center, the accuracy of
# closed-form models was 0.935, 0.950, 0.959 and 0.960 with 100 labels, and 0.911,
# 0.932, 0.941 and 0.954 with 50; SpectralClassifier without anchors has 0.964 and
# 0.935. With 20,000 anchors of which a row was joined to 5 and 8 it was 0.960 and
# 0.956, with 50 labels 0.951 and 0.947. Rows per center were not compared. Data: mnist,
# 60,000 rows, 50 principal components, four draws. Command: `python
# benchmarks/speed/dask_rows.py mnist`.
ANCHORS = AnchorRule(most=20_000, rows_per_anchor=3, n_neighbors=3, rows_per_center=10)

# Unlabeled rows that suggestions are chosen among: each model needs several arrays of
# their features. Data: not recorded. Command: `python benchmarks/speed/many_rows.py
# growth`.
SUGGESTION_ROWS = 20_000

# How many times as probable as the own class of a suspect label the best class must be.
# With 1 instead, all labels are listed whose rows a model without them classifies
# otherwise: with 100 right labels 15 of usps, 16 of mnist and 29 of pima, and with 3
# only 11, 12 and 8. Of ten wrong labels among 100, models contradict 9.7, 10 and 6.7,
# of which 9.7, 10 and 2.7 remain (ionosphere: 7.3 of 9.3). With 5 they are 9.0, 9.7
# and 0.7 (5.3). Data: digits, usps, mnist, pima, ionosphere, splice; 40 and 100 labels,
# three draws. Command: `python benchmarks/evidence/suspects.py`.
SUSPECT_RATIO = 3.0

# Rows to label next. A prototype with 50 labels of 3,000 rows had errors of 7.7 % on
# usps, 61.9 % on letter and 5.6 % on pcmac; with a power of 1 and the noise of each
# model 7.7 %, 63.8 % and 7.1 %, and with 20 instead of 10 medoids 8.0 %, 62.5 % and
# 5.8 %. Any two of the three sets choose the same of these. On pcmac today the
# error is 5.0 %, which 400 labels of random rows also give (5.1 %; 50 of them 6.6 %).
# In three draws it was the same with no checks, and 0.1 to 0.8 points higher with a
# power of 1 or 4, a noise of 1, 20 medoids, eight models, or the least certain rows
# after the medoids. Data: usps, letter, pcmac; four draws. Command: `python
# benchmarks/evidence/suggestions.py`.
SUGGESTIONS = SuggestionRule(
    n_first=10, check_every=5, power=2.0, noise=0.1, n_models=3
)

# Labels that the expected error of the probabilities counts for beside labels of random
# rows, if the others were chosen. The true error is within two standard errors of the
# estimate in 97 % of the draws, with 3 in 100 %, with 30 in 95 %; if all labels are
# counted as random ones, in 85 %. Data: digits, usps, mnist, letter, pcmac; 20, 50 and
# 100 suggested labels, five draws. Command: `python
# benchmarks/evidence/chosen_labels.py --draws 5`.
EXPECTED_LABELS = 10.0

# Means of rows that a new row is compared with, in a condensed model: each stands for
# many rows already. With 5,000 means the accuracy is 0.955, with 1, 4 and 8 of them
# 0.951, 0.955 and 0.951; with all 60,000 rows 0.962, in a file 13 times as large. Data:
# mnist, 50 principal components, 100 labels, one draw; digits. Command: `python
# benchmarks/speed/many_rows.py files`.
CONDENSED_NEIGHBORS = 2

# Expected shares of the stages of a fit of many rows, for the estimate of the remaining
# time: CPU seconds of `FewLabelClassifier`. Data: sheets of 100,000 rows, 100 labels.
# Command: `python benchmarks/speed/many_rows.py --size 100000 growth`.
FIT_STAGES = {
    "cells": 1.7,
    "neighbors": 0.7,
    "eigenvectors": 3.3,
    "components": 2.5,
    "labels": 8.8,
}
