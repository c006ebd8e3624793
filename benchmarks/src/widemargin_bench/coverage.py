"""Every algorithm, table and figure of the papers, with our figures and theirs.

    python -m widemargin_bench.coverage benchmarks/results > docs/every_table.md

All figures are computed from the stored results.
"""

import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from statistics import fmean
from textwrap import fill

from widemargin_bench.benchmark import SECONDS, Benchmark
from widemargin_bench.catalog import find_benchmark, list_names
from widemargin_bench.results import read_folder, show
from widemargin_bench.statements import NotMeasured, Results, span
from widemargin_bench.statistics import fit_exponent
from widemargin_bench.tables.label_search import errors_at_best_width
from widemargin_bench.tables.self_labeling import OTHER_SPARSE_LOSS
from widemargin_bench.tables.tri_class import PROGRAMS

NOTHING = "-"
MIN_SIZES = 3  # for a power of growth
WIDTH = 88  # of a line of text


@dataclass(frozen=True)
class Entry:
    """A line of the table.

    Attributes
    ----------
    item : str
        What the paper has, such as "Table 2".
    about : str
    place : str
        Where the library or the benchmark package has it.
    benchmark : str
        What measures it; empty if nothing does.
    figures : callable or None
        ``figures(results)`` returns ours, the paper's and a peer's, as text.
    reason : str
        Why there are no figures, or what differs.
    """

    item: str
    about: str
    place: str
    benchmark: str = ""
    figures: Callable | None = None
    reason: str = ""

    def cells(self, results):
        """The line as text, figures included."""
        ours = theirs = peer = NOTHING
        if self.figures is not None:
            try:
                ours, theirs, peer = self.figures(results)
            except NotMeasured:
                ours = "not recorded"
        command = f"`bench run {self.benchmark}`" if self.benchmark else NOTHING
        about = f"{self.about}. {self.reason}" if self.reason else self.about
        return self.item, about, self.place, command, ours, theirs, peer


def beside(
    name, method, *, metric=None, digits=1, unit="%", printed_as=None, peers_of=None
):
    """Means over the rows that are in print, of a method, the paper, and the best peer.

    Rows that the method was not run on do not count. Without anything in print the
    means are those over all rows. The peers may be those of another benchmark with the
    same rows and draws, `peers_of`.
    """

    def figures(results):
        benchmark: Benchmark = find_benchmark(peers_of or name)
        cells, theirs = {}, {}
        for row in results.rows(name):
            with suppress(NotMeasured):
                cells[row] = results.cell(name, row, method, metric)
                theirs[row] = results.printed(name, row, printed_as or method, metric)
        if not cells:
            raise NotMeasured(f"{name}: {method}")
        rows = list(theirs or cells)
        peer = _best_peer(results, benchmark, metric, rows, digits, unit)
        printed = "no numbers"
        if theirs:
            printed = _written(fmean(theirs.values()), digits, unit)
        ours = _written(fmean(cells[row].mean for row in rows), digits, unit)
        n_draws = [cells[row].n_runs for row in rows]
        size = f"{_count(len(rows), 'row')}, {_count(span(n_draws, 0), 'draw')}"
        return f"{ours} ({method}; {size})", printed, peer

    return figures


def _best_peer(results, benchmark, metric, rows, digits, unit):
    """The peer with the best mean over rows, of those that have all of them."""
    chosen = next(
        own for own in benchmark.metrics if metric is None or own.name == metric
    )
    means = {}
    for method in benchmark.methods:
        if method.kind != "peer":
            continue
        try:
            values = results.means(benchmark.name, method.name, metric, rows=rows)
        except NotMeasured:
            continue
        means[method.name] = fmean(values)
    # Supervised models take fewer seconds, which is no reason to prefer them.
    is_comparable = chosen.lower_is_better is not None and unit != "s"
    if not means or not is_comparable:
        return NOTHING
    pick = min if chosen.lower_is_better else max
    best = pick(means, key=means.get)
    return f"{_written(means[best], digits, unit)} ({best})"


def _count(n, noun):
    return f"{n} {noun}" if str(n) == "1" else f"{n} {noun}s"


def _written(value, digits, unit):
    return f"{show(value, digits)} {unit}".strip()


def relaxation_seconds(results):
    """Seconds of the semidefinite program, and how fast they grow.

    The sizes are the unlabeled rows, all beside the same number of labels. The power of
    growth is that between the two largest sizes, since it rises with the size.
    """
    summary = results.summary("tri-time")
    rows = summary.benchmark.rows
    sizes = {row.x: row.name for row in rows if row.group == rows[0].group}

    keys = [(n, (name, m, SECONDS.name)) for n, name in sizes.items() for m in PROGRAMS]
    seconds = {n: summary.cells[key].mean for n, key in keys if key in summary.cells}
    if len(seconds) < MIN_SIZES:
        raise NotMeasured("tri-time: SDP")
    shown = ", ".join(
        f"{show(value, 1)} s with {show(size, 0)}" for size, value in seconds.items()
    )
    *_, before, largest = seconds
    power = fit_exponent([before, largest], [seconds[before], seconds[largest]]).value
    said = (
        f"{shown} unlabeled rows. From {show(before, 0)} to {show(largest, 0)} rows, "
        f"the time grows with the power {show(power, 1)} of their number"
    )
    return said, "no numbers", NOTHING


def best_width(results):
    """Errors on the two moons of Figure 6 where the test rows also pick the width."""

    def shown(name):
        errors = errors_at_best_width(results, name)
        return _written(fmean(errors), 1, "%"), _count(len(errors), "draw")

    (ours, n_draws), (peer, _) = shown(FIVE), shown("LabelSpreading")
    return (
        f"{ours} ({FIVE}; best of {len(results.rows('s2rlsc-figure6'))} widths, "
        f"{n_draws})",
        "only in its plots",
        f"{peer} (LabelSpreading)",
    )


def column(paper, name, about, place, **options):
    """Entries of a column of both tables of a paper."""
    return tuple(
        Entry(
            f"{name} in Table {number}",
            change or about,
            place,
            benchmark,
            beside(benchmark, name, **options),
        )
        for number, benchmark, change in TABLES[paper]
    )


FIVE = "S2RLSC, (5 + 25)"
TABLES = {  # of two papers: number, benchmark, and what differs from the first one
    "s2rlsc": (
        (2, "s2rlsc-table2", ""),
        (3, "s2rlsc-table3", "The same baseline, with parameters tuned on the labels"),
    ),
    "umc": (
        (1, "umc-table1", ""),
        (2, "umc-table2", "The same, but the largest value of ten runs"),
    ),
}


def both_losses(results):
    """The sparse process with both losses of the threshold, on the set in print."""
    key = "self-labeling-table2", "Ringnorm"
    methods = OTHER_SPARSE_LOSS, "SSuGPS"
    ours = [results.mean(*key, method) for method in methods]
    printed = [results.printed(*key, method) for method in methods]
    n_draws = results.cell(*key, methods[0]).n_runs
    return (
        f"{show(ours[0], 2)} % with Eq. (8), {show(ours[1], 2)} % with Eq. (9) (SSuGPS "
        f"on Ringnorm; {_count(n_draws, 'draw')})",
        f"{show(printed[0], 2)} % and {show(printed[1], 2)} %",
        NOTHING,
    )


SAME_SPLITS = "laplacian-accuracy"  # rows and draws of the tables of PCG


def training_seconds(method):
    """Mean seconds of training, kernel matrix and graph given."""
    options = {"metric": "train_seconds", "digits": 2, "unit": "s"}
    return beside("laplacian-early-stopping", method, **options)


INTERVALS = {"metric": "line_search", "digits": 2, "unit": "intervals"}
LARGE_COURSES = (
    "The paper shows curves without numbers. We leave out the curves of the error on "
    "test rows, with which the kernel matrix of facemit would take 7.7 GB instead of "
    "4.6 GB, and the level of the optimum. For mnist3vs8, `laplacian-large` has the "
    "final errors of PCG and of Newton's method, also on test rows"
)
PAPERS = {
    "Gieseke, Kramer, Airola, Pahikkala 2012 (S2RLSC)": (
        Entry(
            "Section 3",
            "Objective, and its change if a label is flipped. Time of the search",
            "`LabelSearchClassifier`, `labelling.moves_loops`",
            "s2rlsc-figure8",
            beside("s2rlsc-figure8", "S2RLSC", digits=2, unit="s"),
        ),
        Entry(
            "Algorithm 1",
            "(1 + 1) evolution strategy",
            "`search=Stochastic()`; the column S2RLSC of all tables",
            "s2rlsc-table2",
            beside("s2rlsc-table2", "S2RLSC"),
            "In the paper's (1 + 1) runs and in ours, the labels are flipped one at a "
            "time, in turn. The paper's figure is for (5 + 25)",
        ),
        Entry(
            "Algorithm 1, as printed",
            "In each step, each of the n labels is flipped with probability 1/n",
            "`widemargin_bench.independent_flips`",
            "s2rlsc-table2",
            beside(
                "s2rlsc-table2", "S2RLSC, each label with 1/n", printed_as="S2RLSC"
            ),
        ),
        Entry(
            "Algorithm 2",
            "(mu + lambda) evolution strategy, (5 + 25) in the paper's tables. Each "
            "child flips one random label",
            "`search=Evolution(population=5, offspring=25)`",
            "s2rlsc-table2",
            beside("s2rlsc-table2", FIVE, printed_as="S2RLSC"),
        ),
        Entry(
            "Section 3.2, Eqs. (15) and (16)",
            "The same objective and search without labels",
            '`MaxMarginClustering(2, kernel="linear", intrinsic_reg=0)`',
            reason="The paper reports no results without labels",
        ),
        Entry(
            "Table 1, Figures 1 to 5",
            "Data sets, and sketches of data and of the algorithm",
            "`widemargin_bench.stored_sets`",
            reason="Nothing to measure",
        ),
        Entry(
            "Table 2",
            "Error on the test set, on which the parameters are also tuned",
            "`LabelSearchClassifier`",
            "s2rlsc-table2",
            beside("s2rlsc-table2", "S2RLSC"),
        ),
        Entry(
            "Table 2, ours",
            "The same with tabu search from random starts",
            "`LabelSearchClassifier`",
            "s2rlsc-table2",
            beside("s2rlsc-table2", "tabu, random starts", printed_as="S2RLSC"),
        ),
        Entry(
            "Table 3",
            "Error on the test set, with parameters tuned on the labels",
            "`LabelSearchClassifier`",
            "s2rlsc-table3",
            beside("s2rlsc-table3", "S2RLSC"),
        ),
        Entry(
            "Table 3, ours",
            "The same with tabu search from smoothed labels",
            "`LabelSearchClassifier`",
            "s2rlsc-table3",
            beside("s2rlsc-table3", "tabu, smoothed start", printed_as="S2RLSC"),
        ),
        Entry(
            "Table 3, (5 + 25)",
            "The same with the (5 + 25) evolution strategy of the paper's tables",
            "`search=Evolution(population=5, offspring=25)`",
            "s2rlsc-table3",
            beside("s2rlsc-table3", FIVE, printed_as="S2RLSC"),
        ),
        *column(
            "s2rlsc",
            "RLSC",
            "Regularized least squares on the labels, a baseline of the paper",
            "`LabelSearchClassifier`, fitted to the labeled rows",
        ),
        *column(
            "s2rlsc",
            "LIBSVM",
            "Support vector machine on the labels, a baseline of the paper",
            "`sklearn.svm.SVC`",
        ),
        *column(
            "s2rlsc",
            "UniverSVM",
            "Transductive support vector machine, a baseline of the paper",
            "`TransductiveSVC`",
        ),
        Entry(
            "Figure 6",
            "Two moons, five labels, Gaussian kernel, five widths",
            "`LabelSearchClassifier(kernel=Rbf(gamma))`",
            "s2rlsc-figure6",
            best_width,
            "The test rows pick the width, as in the paper. The plots show one "
            "partition, with mean errors over ten partitions in brackets that are not "
            "in the paper's text",
        ),
        Entry(
            "Figure 7",
            "Error as a function of the number of labeled and of unlabeled rows",
            "`LabelSearchClassifier`",
            "s2rlsc-figure7",
            beside("s2rlsc-figure7", "S2RLSC"),
        ),
        Entry(
            "Figure 7, (5 + 25)",
            "The same with the (5 + 25) evolution strategy, which the paper uses",
            "`search=Evolution(population=5, offspring=25)`",
            "s2rlsc-figure7",
            beside("s2rlsc-figure7", FIVE),
        ),
        Entry(
            "Figure 8",
            "Time with and without the fast update of the objective",
            "`LabelSearchClassifier`",
            "s2rlsc-figure8",
            beside("s2rlsc-figure8", "direct evaluation", digits=2, unit="s"),
        ),
        Entry(
            "Figure 9",
            "Error with some of the rows as landmarks",
            "`landmarks=`",
            "s2rlsc-figure9",
            beside("s2rlsc-figure9", "S2RLSC"),
        ),
        Entry(
            "Figure 10",
            "Time as a function of the number of rows",
            "`landmarks=`",
            "s2rlsc-figure10",
            beside("s2rlsc-figure10", "S2RLSC", digits=2, unit="s"),
        ),
    ),
    "Melacci, Belkin 2011 (LapSVM in the primal)": (
        Entry(
            "Section 3.1",
            "Newton's method",
            '`LaplacianSVC(solver="newton")`; as printed: '
            "`widemargin_bench.published_newton`",
            "laplacian-accuracy",
            beside("laplacian-accuracy", "LapSVM Newton"),
        ),
        Entry(
            "Algorithm 1",
            "Preconditioned conjugate gradient",
            "`solver=Pcg()`",
            "laplacian-early-stopping",
            beside("laplacian-early-stopping", "PCG, stability", peers_of=SAME_SPLITS),
        ),
        Entry(
            "Algorithms 2 and 3",
            "Stability check and validation check for early stopping",
            "`Pcg(early_stopping=...)`",
            "laplacian-early-stopping",
            beside("laplacian-early-stopping", "PCG, validation", peers_of=SAME_SPLITS),
            "The stability check of our estimator also uses the objective",
        ),
        Entry(
            "Tables 1, 2, 8 and 9",
            "Data sets, splits and parameters",
            "`widemargin_bench.tables.laplacian`",
            reason="Used as printed",
        ),
        Entry(
            "Tables 3 and 6",
            "Training time of conjugate gradient",
            "`LaplacianSVC`",
            "laplacian-early-stopping",
            training_seconds("PCG, stability"),
            "The paper used a computer from 2009; we used a current one",
        ),
        Entry(
            "Tables 3 and 6, Newton",
            "Training time of Newton's method, with a linear system in each step",
            "`widemargin_bench.published_newton`",
            "laplacian-early-stopping",
            training_seconds("LapSVM Newton"),
        ),
        Entry(
            "Tables 3 and 6, dual",
            "Training time of the dual solver",
            '`LaplacianSVC(solver="dual")`',
            "laplacian-early-stopping",
            training_seconds("LapSVM dual"),
        ),
        Entry(
            "Table 6, line search",
            "Intervals that the exact line search looks at in an iteration",
            '`result_.history["line_search"]`',
            "laplacian-early-stopping",
            beside("laplacian-early-stopping", "PCG, stability", **INTERVALS),
        ),
        Entry(
            "Table 10, line search",
            "The same with the weights of Newton's method",
            '`result_.history["line_search"]`',
            "laplacian-newton-weights",
            beside("laplacian-newton-weights", "PCG, stability", **INTERVALS),
        ),
        Entry(
            "Table 4",
            "Errors of SVM, RLSC and Laplacian models",
            "`LaplacianSVC`, `LaplacianRLSC`",
            "laplacian-accuracy",
            beside("laplacian-accuracy", "LapRLSC"),
        ),
        Entry(
            "Table 5",
            "Number of steps of Newton's method",
            "`result_.history`",
            "laplacian-accuracy",
            beside("laplacian-accuracy", "LapSVM Newton", metric="steps", unit=""),
        ),
        Entry(
            "Table 7",
            "Errors of conjugate gradient with early stopping",
            "`Pcg`",
            "laplacian-early-stopping",
            beside("laplacian-early-stopping", "PCG, mixed", peers_of=SAME_SPLITS),
        ),
        Entry(
            "Tables 3, 4, 6 and 7, large sets",
            "Errors on mnist3vs8 and facemit",
            "`Pcg`",
            "laplacian-large",
            beside("laplacian-large", "PCG, stability"),
        ),
        Entry(
            "Tables 3 and 4, Newton on mnist3vs8",
            "Newton's method on 12,000 rows",
            '`LaplacianSVC(solver="newton")`',
            "laplacian-large",
            beside("laplacian-large", "LapSVM Newton"),
            "All steps share one factorization. For the 24,000 rows of facemit, the "
            "matrix and its factors would take 9 GB, and the factorization would take "
            "eight times as long",
        ),
        Entry(
            "Table 4, LapRLSC on mnist3vs8",
            "Laplacian model with the squared loss, on 12,000 rows",
            "`LaplacianRLSC`",
            "laplacian-large",
            beside("laplacian-large", "LapRLSC"),
        ),
        Entry(
            "Tables 3 and 4, dual on mnist3vs8",
            "Dual solver on 12,000 rows",
            '`LaplacianSVC(solver="dual")`',
            "laplacian-large",
            beside("laplacian-large", "LapSVM dual"),
        ),
        Entry(
            "Tables 10 and 11",
            "Conjugate gradient with the weights of Newton's method",
            "`Pcg`",
            "laplacian-newton-weights",
            beside("laplacian-newton-weights", "PCG, stability", peers_of=SAME_SPLITS),
        ),
        Entry(
            "Tables 10 and 11, mnist3vs8",
            "The same on 12,000 rows",
            "`Pcg`",
            "laplacian-large-newton-weights",
            beside(
                "laplacian-large-newton-weights", "PCG, stability", digits=2,
                peers_of="laplacian-large",
            ),
            "On facemit, the paper selected the same weights for both methods, so that "
            "its figures repeat those of Tables 6 and 7",
        ),
        Entry(
            "Figures 1 and 2",
            "A toy data set and the losses",
            "`objectives.losses`",
            reason="Nothing to measure",
        ),
        Entry(
            "Figures 3 and 5 to 10",
            "Error as a function of the iteration",
            "`Pcg`, `ConvergenceDisplay`",
            "laplacian-error-course",
            reason="The paper shows curves without numbers; see the benchmark page",
        ),
        Entry(
            "Figures 4, 13 and 14",
            "Objective and gradient as a function of the iteration",
            "`Pcg`, `ConvergenceDisplay`",
            "laplacian-gradient-course",
            reason="The paper shows curves without numbers; see the benchmark page",
        ),
        Entry(
            "Figures 11 and 12",
            "The same for the large data sets",
            "`Pcg`",
            "laplacian-large-course",
            reason=LARGE_COURSES,
        ),
        Entry(
            "Sections 3.1.1 and 3.2.2",
            "Time as a function of the number of rows",
            "`LaplacianSVC`",
            "laplacian-growth",
            beside("laplacian-growth", "PCG, stability", digits=2, unit="s"),
        ),
        Entry(
            "Future work: sparser expansions",
            "A small number of kernel functions instead of one per row",
            "`landmarks=`",
            "growth",
            beside("growth", "LaplacianSVC, landmarks", metric="unlabeled_error"),
        ),
        Entry(
            "Section 3.1.1: updates of a factorization",
            "The paper proposes to update a Cholesky factorization by rank one when "
            "the error vectors change, and doubts that it saves time",
            '`solver="newton"`',
            reason="Updates are not needed: our solver factorizes one matrix, which "
            "does not depend on the error vectors. Each step then solves a system "
            "with as many unknowns as labels",
        ),
        Entry(
            "Future work: greedy growth",
            "A classifier that is built row by row",
            "`SelfLabelingGPC(landmarks=InformativeVectors(...))`",
            reason="The paper mentions this idea without an algorithm. `LaplacianSVC` "
            "chooses all landmarks before the fit. Informative vectors are added one "
            "by one",
        ),
    ),
    "Pahikkala, Airola, Gieseke, Kramer 2014 (UMC-RLS)": (
        Entry(
            "Algorithms 1 to 3, Lemmas 1 and 2",
            "Stochastic and steepest descent, shaking, and moves in constant time",
            "`search=Stochastic()`, `Steepest()`, `Shaking()` of `MaxMarginClustering`",
            "umc-table1",
            beside("umc-table1", "UMC-RLS", digits=2, unit=""),
        ),
        Entry(
            "Table 1",
            "Adjusted Rand index, mean of ten runs",
            "`MaxMarginClustering`",
            "umc-table1",
            beside(
                "umc-table1",
                "MaxMarginClustering",
                digits=2,
                unit="",
                printed_as="UMC-RLS",
            ),
        ),
        Entry(
            "Table 2",
            "The same, but the largest value of ten runs",
            "`MaxMarginClustering`",
            "umc-table2",
            beside("umc-table2", "UMC-RLS", digits=2, unit=""),
        ),
        *column(
            "umc",
            "Stoc-RLS",
            "Stochastic descent without shaking, a variant of the paper",
            "`search=Stochastic()`",
            digits=2,
            unit="",
        ),
        *column(
            "umc",
            "Steep-RLS",
            "Steepest descent without shaking, a variant of the paper",
            "`search=Steepest()`",
            digits=2,
            unit="",
        ),
        *column(
            "umc",
            "CPMMC",
            "Cutting planes, a baseline of the paper",
            "`widemargin_bench.cutting_planes`",
            digits=2,
            unit="",
        ),
        *column(
            "umc",
            "SC",
            "Spectral clustering, a baseline of the paper",
            "`sklearn.cluster.SpectralClustering`",
            digits=2,
            unit="",
        ),
        *column(
            "umc",
            "GMM",
            "Gaussian mixture, a baseline of the paper",
            "`sklearn.mixture.GaussianMixture`",
            digits=2,
            unit="",
        ),
        *column(
            "umc",
            "K-means",
            "k-means, a baseline of the paper",
            "`sklearn.cluster.KMeans`",
            digits=2,
            unit="",
        ),
        Entry(
            "Figures 1 and 2",
            "Sketches of the class coding and of shaking",
            "`search=Shaking()`",
            reason="Nothing to measure",
        ),
        Entry(
            "Figure 3",
            "Number of steps as a function of the number of rows",
            "`MaxMarginClustering`",
            "umc-figure3",
            beside("umc-figure3", "UMC-RLS", digits=0, unit="steps"),
        ),
        Entry(
            "Figure 4",
            "Time on COIL-20",
            "`MaxMarginClustering`",
            "umc-figure4",
            beside("umc-figure4", "UMC-RLS", digits=2, unit="s"),
        ),
        Entry(
            "Figure 5",
            "Time on MNIST",
            "`MaxMarginClustering`",
            "umc-figure5",
            beside("umc-figure5", "UMC-RLS", digits=2, unit="s"),
        ),
        Entry(
            "Future work: steps on local subsets",
            "Shaking of only a few clusters and their rows at a time",
            "`Shaking(n_reshakes=...)`",
            "umc-table1",
            beside(
                "umc-table1",
                "UMC-RLS re-shaken",
                digits=2,
                unit="",
                printed_as="UMC-RLS",
            ),
        ),
        Entry(
            "Future work: sparse matrices, parameters without labels, few labels",
            "Nystrom landmarks, a choice of parameters without labels, and given "
            "labels that are kept",
            "`landmarks=`, `MaxMarginClustering(...)`, `LabelSearchClassifier("
            'search="shaking")`',
            "umc-label-free",
            beside("umc-label-free", "MaxMarginClustering", digits=2, unit=""),
        ),
        Entry(
            "Future work: cooling speed of alpha",
            "A parameter for how fast the number of rows that a cluster takes falls "
            "from round to round",
            "`Shaking(n_rounds=...)`",
            reason="The paper mentions this idea without results. As in the paper, the "
            "surplus is halved in each round, and we did not try other speeds. "
            "Re-shaking, see steps on local subsets, starts again with a large surplus",
        ),
        Entry(
            "Future work: partial memberships",
            "Rows that belong to several classes to some degree",
            "`SelfLabelingGPC.predict_proba`, `FewLabelClassifier.predict_proba`",
            reason="The paper mentions this idea without a model. The search moves "
            "whole rows, because moves take constant time only for labels -1 and 1. "
            "The classifiers return probabilities",
        ),
    ),
    "Yang, Huang, King, Lyu 2015 (3C-SVM)": (
        Entry(
            "Eq. (4)",
            "Direct minimization of the min loss",
            '`TriClassSVC(method="min")`',
            "tri-synthetic",
            beside("tri-synthetic", "min loss from SVM"),
        ),
        Entry(
            "Program (8)",
            "Mixed integer program with a binary variable for each unlabeled row",
            "`solvers.hinge.majorize_minimize`",
            reason="The paper does not solve it: according to the paper, solvers can "
            "hardly handle more than 50 binary variables. The variables only choose "
            "the smaller loss of each row in Eq. (4), which we minimize directly, up "
            "to a local minimum",
        ),
        Entry(
            "Program (9)",
            "Semidefinite relaxation",
            "`widemargin_bench.tables.tri_class_programs`",
            "tri-time",
            relaxation_seconds,
            "Its optimum is that of a model fitted to the labels alone. With 50 rows, "
            "we stopped the solver after more than 6 minutes of CPU time, with 13 GB "
            "of memory",
        ),
        Entry(
            "Algorithm 1, programs (17) to (21)",
            "Concave-convex procedure",
            '`TriClassSVC(method="paper")`',
            "tri-synthetic",
            beside("tri-synthetic", "3C-SVM"),
        ),
        Entry(
            "Tables 1 to 3, Figures 1 to 4",
            "Notation, data sets, and sketches of data and losses",
            "`objectives.pieces`",
            reason="Nothing to measure",
        ),
        Entry(
            "Figure 5",
            "Objective and error as a function of the step",
            "`TriClassSVC`",
            "tri-course",
            beside("tri-course", "3C-SVM"),
        ),
        Entry(
            "Figure 6",
            "Error on synthetic data sets with 24 settings",
            "`TriClassSVC`",
            "tri-synthetic",
            beside("tri-synthetic", "TriClassSVC"),
            "We use ten draws instead of ten folds, because the paper does not specify "
            "how folds divide the unlabeled and the irrelevant rows. Folds of one draw "
            "share rows, which the paper's t-tests do not take into account",
        ),
        Entry(
            "Figure 7",
            "Accuracy as a function of the parameters, on the paper's grids. Our "
            "figure is the mean over the grids",
            "`TriClassSVC(method=Relaxed(...))`",
            "tri-sensitivity",
            beside("tri-sensitivity", "3C-SVM"),
            "The text of the paper states the best values; the benchmark page compares "
            "them with ours",
        ),
        Entry(
            "Figure 8",
            "Time as a function of the number of unlabeled rows",
            "`TriClassSVC`",
            "tri-time",
            beside("tri-time", "CCCP, reduced program", digits=3, unit="s"),
        ),
        Entry(
            "Table 4, 3C-SVM",
            "Accuracy for digits 5 against 8",
            '`TriClassSVC(method="paper")`',
            "tri-digits",
            beside("tri-digits", "3C-SVM"),
        ),
        Entry(
            "Table 4, ours",
            "The same without tuning",
            "`TriClassSVC`",
            "tri-digits",
            beside("tri-digits", "TriClassSVC", printed_as="3C-SVM"),
        ),
        Entry(
            "Table 4, SS-ELM",
            "Baseline with random features",
            "`widemargin_bench.ss_elm`",
            "tri-digits",
            beside("tri-digits", "SS-ELM"),
        ),
        Entry(
            "Table 4, SVM",
            "Baseline without unlabeled rows",
            "`widemargin_bench.tables.tri_class_fits`",
            "tri-digits",
            beside("tri-digits", "SVM"),
        ),
        Entry(
            "Table 4, S3VM",
            "Baseline that keeps the unlabeled rows out of the margin",
            "`TransductiveSVC`",
            "tri-digits",
            beside("tri-digits", "S3VM"),
        ),
        Entry(
            "Table 4, U-SVM",
            "Baseline that pulls the unlabeled rows towards the boundary",
            "`UniversumSVC`",
            "tri-digits",
            beside("tri-digits", "U-SVM"),
        ),
        Entry(
            "Table 4, LapSVM",
            "Baseline with a graph of all rows",
            "`LaplacianSVC`",
            "tri-digits",
            beside("tri-digits", "LapSVM"),
        ),
        Entry(
            "Future work: several classes",
            "The paper has two classes and proposes no model for more",
            "`TriClassSVC`",
            reason="Each class is separated from the rest. A row is relevant if one of "
            "its scores is above the threshold of Eq. (5)",
        ),
        Entry(
            "Future work: warm start",
            "Sparse solutions and a warm start, for faster fits",
            "`TriClassSVC(n_annealing=...)`",
            reason="The weight of the unlabeled rows is raised in steps, and each fit "
            "starts from the solution before it. The paper proposes no algorithm",
        ),
        Entry(
            "Future work: choice of hyperparameters",
            "A more efficient choice, such as Bayesian inference. The paper proposes "
            "no algorithm",
            "`TriClassSVC`",
            "tri-digits",
            beside("tri-digits", "TriClassSVC", printed_as="3C-SVM"),
            "By default, held-out labels choose the weights of several models, which "
            "are averaged. The paper's figure is that of its tuned model",
        ),
    ),
    "Patel, Sundararajan, Shevade 2009 (SSuSVR, SSuGPR, SSuGPS)": (
        Entry(
            "Algorithm 1",
            "Self-labeling with support vector regression",
            "`SelfLabelingSVC`",
            "self-labeling-table2",
            beside("self-labeling-table2", "SSuSVR"),
        ),
        Entry(
            "Algorithm 2",
            "Self-labeling with Gaussian process regression",
            "`SelfLabelingGPC`",
            "self-labeling-table2",
            beside("self-labeling-table2", "SSuGPR"),
        ),
        Entry(
            "Algorithm 3",
            "SSuGPS: the same with an informative vector machine",
            "`SelfLabelingGPC(landmarks=InformativeVectors(...))`",
            "self-labeling-table2",
            beside("self-labeling-table2", "SSuGPS"),
        ),
        Entry(
            "Eqs. (8) and (9), Section 4.2",
            "Two losses for choosing the threshold",
            '`InSample("squared")`, `InSample("absolute")`',
            "self-labeling-table2",
            both_losses,
            "The paper also reports 7.15 % and 6.86 % on USPS 3 against 5, but not for "
            "which share of labels; see the remarks on the benchmark page. All other "
            "figures are for the absolute loss, Eq. (9)",
        ),
        Entry(
            "Figures 1 and 2",
            "Decision boundaries on a toy set",
            "`examples/plot_low_density_boundary.py`",
            reason="The paper shows plots without numbers and does not list the "
            "points. The gallery draws both plots for other points",
        ),
        Entry("Table 1", "Sizes of the data sets", "-", reason="Used as printed"),
        Entry(
            "Table 2",
            "Error on seven data sets",
            "`SelfLabelingGPC`",
            "self-labeling-table2",
            beside("self-labeling-table2", "GPC", printed_as="SSuGPR"),
        ),
        Entry(
            "Table 3",
            "Error on USPS, 3 against 5",
            "`SelfLabelingGPC`",
            "self-labeling-table3",
            beside("self-labeling-table3", "GPC", printed_as="SSuGPR"),
        ),
        Entry(
            "NCNM in Table 2",
            "Null category noise model, a baseline of the paper",
            "`widemargin_bench.tables.self_labeling_methods`",
            "self-labeling-table2",
            beside("self-labeling-table2", "NCNM"),
        ),
        Entry(
            "NCNM in Table 3",
            "The same baseline",
            "`widemargin_bench.tables.self_labeling_methods`",
            "self-labeling-table3",
            beside("self-labeling-table3", "NCNM"),
        ),
        Entry(
            "Table 4",
            "Error on USPS, one digit against the rest",
            "`SelfLabelingGPC`",
            "self-labeling-table4",
            beside("self-labeling-table4", "SSuGPS", digits=2),
        ),
        Entry(
            "Table 4, SSuSVR",
            "The same with support vector regression. The paper reports only its time",
            "`SelfLabelingSVC`",
            "self-labeling-table4",
            beside("self-labeling-table4", "SSuSVR", digits=2),
        ),
        Entry(
            "Table 5",
            "The same with NCNM",
            "`widemargin_bench.tables.self_labeling_methods`",
            "self-labeling-table4",
            beside("self-labeling-table4", "NCNM", digits=2),
        ),
        Entry(
            "Section 4.4",
            "Time of a fit",
            "`SelfLabelingGPC`",
            "self-labeling-table4",
            beside(
                "self-labeling-table4", "SSuGPS", metric="fit_seconds", digits=1,
                unit="s",
            ),
        ),
        Entry(
            "Section 4.4, SSuSVR",
            "Time of a fit",
            "`SelfLabelingSVC`",
            "self-labeling-table4",
            beside(
                "self-labeling-table4", "SSuSVR", metric="fit_seconds", digits=1,
                unit="s",
            ),
        ),
        Entry(
            "Section 4.4, NCNM",
            "Time of a fit",
            "`widemargin_bench.tables.self_labeling_methods`",
            "self-labeling-table4",
            beside(
                "self-labeling-table4", "NCNM", metric="fit_seconds", digits=1,
                unit="s",
            ),
        ),
        Entry(
            "Section 3",
            "Log loss of the probabilities",
            '`predict_proba`, `probabilities="probit"`',
            "self-labeling-probabilities",
            beside("self-labeling-probabilities", "probit", digits=2, unit="nats"),
        ),
    ),
}  # fmt: skip
HEADER = (
    "item of the paper", "content", "implementation", "command", "our figure",
    "paper's figure", "best method of scikit-learn",
)  # fmt: skip
SETTINGS = """\
---
html_theme.sidebar_secondary.remove: true
---
"""  # the tables are wide
TITLE = "# Every algorithm, table and figure of the papers"
INTRODUCTION = """\
This page lists every algorithm, table and figure of the five papers. For each of them,
a table shows where it is implemented, the command that measures it (after
`widemargin`), our figure, the paper's figure, and the figure of the best method of
scikit-learn. A dash means that there is nothing to measure or to compare.

Here, a *row* is a row of a table of results, such as a data set with a given number of
labels, and a *draw* is one random choice of the data or labels. The figures are means
over the rows for which the paper reports numbers. If the paper reports no numbers, they
are means over all rows. In the last column, SC is spectral clustering.

The [benchmark page](benchmark_report.md) has every row, and [What the papers
report](papers.md) explains which results we reproduce. All figures are computed from
stored results, which were recorded at different times with different versions. The
command `python -m widemargin_bench.coverage benchmarks/results` writes this page.
"""


def write_page(results):
    """The page, as Markdown."""
    lines = [SETTINGS, TITLE, "", INTRODUCTION, _duration(results), ""]
    for paper, entries in PAPERS.items():
        lines += [f"## {paper}", "", _line(HEADER), _line(["---"] * len(HEADER))]
        lines += [_line(entry.cells(results)) for entry in entries]
        lines.append("")
    lines += _shortfall(results)
    return "\n".join(lines).rstrip() + "\n"


def _line(cells):
    return f"| {' | '.join(cells)} |"


def recorded_hours(results):
    """Hours of fits in the stored results, summed: less than a run takes."""
    seconds = 0.0
    for summary in results.summaries():
        for (_, _, metric), cell in summary.cells.items():
            if metric == SECONDS.name:
                seconds += sum(cell.values.values())
    return seconds / 3600.0


def timed_results(results):
    """Results with the time of everything, that time, and that of their fits."""
    n_timed, whole, fits = 0, 0.0, 0.0
    for summary in results.summaries():
        for (row, method, run), seconds in summary.seconds.items():
            cell = summary.cells.get((row, method, SECONDS.name))
            fit = None if cell is None else cell.values.get(run)
            if seconds is not None and fit is not None:
                n_timed += 1
                whole += seconds
                fits += fit
    return n_timed, whole, fits


def missing_draws(results):
    """Draws of a full run without a result, {(benchmark, method): (number, of all)}."""
    found = {}
    recorded = {s.benchmark.name: s.seconds for s in results.summaries()}
    for benchmark in map(find_benchmark, list_names()):
        seconds = recorded.get(benchmark.name, ())
        stored = Counter(method for _, method, run in seconds if run < benchmark.runs)
        for method in benchmark.methods:
            n_runs = method.limit(benchmark.runs)
            n_all = sum(row.has(method) for row in benchmark.rows) * n_runs
            if stored[method.name] < n_all:
                key = benchmark.name, method.name
                found[key] = n_all - stored[method.name], n_all
    return found


def _duration(results):
    n_timed, whole, fits = timed_results(results)
    n_all = sum(len(summary.seconds) for summary in results.summaries())
    said = (
        "`widemargin bench run` runs all benchmarks and continues where it was "
        f"interrupted. The fits of the {n_all:,} stored results took "
        f"{show(recorded_hours(results), 1)} hours of CPU time in total."
    )
    if n_timed:
        said += (
            f" For {n_timed:,} of these results, the total time was also recorded. It "
            "includes reading data, tuning parameters and computing scores, and is "
            f"{show(whole / 3600.0, 1)} hours, {show(whole / fits, 1)} times the time "
            "of their fits."
        )
    said += " The results come from several partial runs, not from one full run."
    return fill(said, WIDTH)


def _shortfall(results):
    """What a full run would measure beyond the stored results, as a table."""
    missing = missing_draws(results)
    if not missing:
        return ["All results of a full run are stored."]
    header = "benchmark", "method", "missing results of a full run"
    return [
        "## Missing results",
        "",
        fill(
            "A full run has a result for each row and draw. This table shows how many "
            "of these results are missing. The figures above are means over the stored "
            "draws.",
            WIDTH,
        ),
        "",
        _line(header),
        _line(["---"] * len(header)),
        *(
            _line((f"`{name}`", method, f"{n} of {n_all}"))
            for (name, method), (n, n_all) in missing.items()
        ),
    ]


def main():
    """Print the page for a folder of results."""
    sys.stdout.write(write_page(Results(read_folder(sys.argv[1])[0])))


if __name__ == "__main__":
    main()
