"""Every algorithm, table and figure of the papers: where it is, ours beside theirs.

    python -m widemargin_bench.coverage benchmarks/results > docs/every_table.md

All figures are computed from the stored results.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean

from widemargin_bench.benchmark import Benchmark
from widemargin_bench.catalog import find_benchmark
from widemargin_bench.results import read_folder, show
from widemargin_bench.statements import NotMeasured, Results

NOTHING = "-"


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


def beside(name, method, *, metric=None, digits=1, unit="%", printed_as=None):
    """Means over the rows that are in print, of a method, the paper, and the best peer.

    Without anything in print the means are those over all rows.
    """

    def figures(results):
        benchmark: Benchmark = find_benchmark(name)
        rows, theirs = [], []
        for row in results.rows(name):
            try:
                theirs.append(results.printed(name, row, printed_as or method, metric))
                rows.append(row)
            except NotMeasured:
                continue
        is_printed = bool(rows)
        rows = rows or results.rows(name)
        ours = fmean(results.means(name, method, metric, rows=rows))
        peer = _best_peer(results, benchmark, metric, rows, digits, unit)
        printed = _written(fmean(theirs), digits, unit) if is_printed else "no numbers"
        noun = "row" if len(rows) == 1 else "rows"
        shown = f"{_written(ours, digits, unit)} ({method}; {len(rows)} {noun})"
        return shown, printed, peer

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


def _written(value, digits, unit):
    return f"{show(value, digits)} {unit}".strip()


PAPERS = {
    "Gieseke, Kramer, Airola, Pahikkala 2012 (S2RLSC)": (
        Entry(
            "Section 3",
            "Objective, and its change by a flipped label",
            "`LabelSearchClassifier`, `labelling.moves_loops`",
            "s2rlsc-figure8",
            beside("s2rlsc-figure8", "S2RLSC", digits=2, unit="s"),
        ),
        Entry(
            "Algorithm 1",
            "(1 + 1) evolution",
            "`search=Stochastic()`; the column S2RLSC of all tables",
            "s2rlsc-table2",
            beside("s2rlsc-table2", "S2RLSC"),
            "Ours tries the flips of single labels in turn, where the paper flips each "
            "label with probability 1/n: that is one flip on average, and the shortcut "
            "holds for one flip",
        ),
        Entry(
            "Algorithm 2",
            "(mu + lambda) evolution, (5 + 25) in the paper's tables",
            "`search=Evolution(population=5, offspring=25)`",
            reason="Tested with the other searches; not a column of the tables, which "
            "have (1 + 1) and tabu search",
        ),
        Entry(
            "Table 1, Figures 1 to 5",
            "Sets, sketches of data and of the algorithm",
            "`widemargin_bench.stored_sets`",
            reason="Nothing to measure",
        ),
        Entry(
            "Table 2",
            "Error on test rows, which also choose the parameters",
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
            "Labels choose the parameters",
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
            "UniverSVM in Tables 2 and 3",
            "The transductive support vector machine of others",
            "`TransductiveSVC`",
            reason="Not a column of these tables: its figures on other draws are in "
            "`few-labels` and `tri-digits`",
        ),
        Entry(
            "Figure 6",
            "Two moons, five labels, Gaussian kernel, several widths",
            "`LabelSearchClassifier(kernel=Rbf(gamma))`",
            reason="A picture of one draw; two moons with few labels are measured in "
            "`few-labels`",
        ),
        Entry(
            "Figure 7",
            "Errors against the number of labeled and of unlabeled rows",
            "`LabelSearchClassifier`",
            "s2rlsc-figure7",
            beside("s2rlsc-figure7", "S2RLSC"),
        ),
        Entry(
            "Figure 8",
            "Seconds with the shortcut and without it",
            "`LabelSearchClassifier`",
            "s2rlsc-figure8",
            beside("s2rlsc-figure8", "direct evaluation", digits=2, unit="s"),
        ),
        Entry(
            "Figure 9",
            "Some rows as landmarks",
            "`landmarks=`",
            "s2rlsc-figure9",
            beside("s2rlsc-figure9", "S2RLSC"),
        ),
        Entry(
            "Figure 10",
            "Seconds against the number of rows",
            "`landmarks=`",
            "s2rlsc-figure10",
            beside("s2rlsc-figure10", "S2RLSC", digits=2, unit="s"),
        ),
    ),
    "Melacci, Belkin 2011 (LapSVM in the primal)": (
        Entry(
            "Section 4.1",
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
            beside("laplacian-early-stopping", "PCG, stability"),
        ),
        Entry(
            "Algorithms 2 and 3",
            "Stability check, validation check",
            "`Pcg(early_stopping=...)`",
            "laplacian-early-stopping",
            beside("laplacian-early-stopping", "PCG, validation"),
            "The stability check of our estimator also looks at the objective",
        ),
        Entry(
            "Tables 1, 2, 8 and 9",
            "Sets, splits and parameters",
            "`widemargin_bench.tables.laplacian`",
            reason="Used as printed",
        ),
        Entry(
            "Tables 3 and 6",
            "Seconds of training",
            "`LaplacianSVC`",
            "laplacian-early-stopping",
            beside(
                "laplacian-early-stopping",
                "PCG, stability",
                metric="train_seconds",
                digits=2,
                unit="s",
            ),
            "Computers of 2009 and of today. Steps of the line search are not counted: "
            "ours is exact",
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
            "Steps of Newton's method",
            "`result_.history`",
            "laplacian-accuracy",
            beside("laplacian-accuracy", "LapSVM Newton", metric="steps", unit=""),
        ),
        Entry(
            "Table 7",
            "Errors of conjugate gradient, stopped early",
            "`Pcg`",
            "laplacian-early-stopping",
            beside("laplacian-early-stopping", "PCG, mixed"),
        ),
        Entry(
            "Tables 3, 4, 6 and 7, large sets",
            "mnist3vs8 and facemit",
            "`Pcg`",
            "laplacian-large",
            beside("laplacian-large", "PCG, stability"),
            "Newton's method and the dual need several copies of a matrix of 12,000 "
            "rows and are not run",
        ),
        Entry(
            "Tables 10 and 11",
            "Conjugate gradient with the weights of Newton's method",
            "`Pcg`",
            "laplacian-newton-weights",
            beside("laplacian-newton-weights", "PCG, stability"),
        ),
        Entry(
            "Figures 1 and 2",
            "A toy set, the losses",
            "`objectives.losses`",
            reason="Nothing to measure",
        ),
        Entry(
            "Figures 3 and 5 to 10",
            "Errors along the iterations",
            "`Pcg`, `ConvergenceDisplay`",
            "laplacian-error-course",
            reason="Curves, without numbers in print: see the page of benchmarks",
        ),
        Entry(
            "Figures 4, 13 and 14",
            "Objective and gradient along the iterations",
            "`Pcg`, `ConvergenceDisplay`",
            "laplacian-gradient-course",
            reason="Curves, without numbers in print: see the page of benchmarks",
        ),
        Entry(
            "Figures 11 and 12",
            "The same for the large sets",
            "`Pcg`",
            "laplacian-large-course",
            reason="Curves, without numbers in print: see the page of benchmarks",
        ),
        Entry(
            "Sections 3.1.1 and 3.2.2",
            "Growth of the time with the number of rows",
            "`LaplacianSVC`",
            "laplacian-growth",
            beside("laplacian-growth", "PCG, stability", digits=2, unit="s"),
        ),
        Entry(
            "Future work",
            "Sparse expansions, rank-one updates, greedy growth",
            "`landmarks=` (sparse expansions)",
            reason="The other two are named in the paper and not worked out",
        ),
    ),
    "Pahikkala, Airola, Gieseke, Kramer 2014 (UMC-RLS)": (
        Entry(
            "Algorithms 1 to 3, Lemmas 1 and 2",
            "Stochastic and steepest descent, shaking, moves in constant time",
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
            "The same, largest of ten runs",
            "`MaxMarginClustering`",
            "umc-table2",
            beside("umc-table2", "UMC-RLS", digits=2, unit=""),
        ),
        Entry(
            "Figures 1 and 2",
            "Sketches of the coding and of shaking",
            "`search=Shaking()`",
            reason="Nothing to measure",
        ),
        Entry(
            "Figure 3",
            "Number of steps against the number of rows",
            "`MaxMarginClustering`",
            "umc-figure3",
            beside("umc-figure3", "UMC-RLS", digits=0, unit="steps"),
        ),
        Entry(
            "Figure 4",
            "Seconds, COIL-20",
            "`MaxMarginClustering`",
            "umc-figure4",
            beside("umc-figure4", "UMC-RLS", digits=2, unit="s"),
        ),
        Entry(
            "Figure 5",
            "Seconds, MNIST",
            "`MaxMarginClustering`",
            "umc-figure5",
            beside("umc-figure5", "UMC-RLS", digits=2, unit="s"),
        ),
    ),
    "Yang, Huang, King, Lyu 2015 (3C-SVM)": (
        Entry(
            "Eq. (4)",
            "The min loss itself",
            '`TriClassSVC(method="min")`',
            "tri-synthetic",
            beside("tri-synthetic", "min loss from SVM"),
        ),
        Entry(
            "Program (9)",
            "Semidefinite relaxation",
            "`widemargin_bench.tables.tri_class_programs`",
            "tri-time",
            reason="Its optimum is that of the labels alone. Measured up to 20 "
            "unlabeled rows, beyond which the open solver takes minutes",
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
            "Notation, sets, sketches of data and losses",
            "`objectives.pieces`",
            reason="Nothing to measure",
        ),
        Entry(
            "Figure 5",
            "Objective and error along the steps",
            "`TriClassSVC`",
            "tri-course",
            beside("tri-course", "3C-SVM"),
        ),
        Entry(
            "Figure 6",
            "Synthetic sets, 24 settings",
            "`TriClassSVC`",
            "tri-synthetic",
            beside("tri-synthetic", "TriClassSVC"),
            "Ten draws in place of ten folds of one draw, whose parts share rows",
        ),
        Entry(
            "Figure 7",
            "Sensitivity to the parameters",
            "`TriClassSVC(method=Relaxed(...))`",
            "tri-sensitivity",
            beside("tri-sensitivity", "3C-SVM"),
        ),
        Entry(
            "Figure 8",
            "Seconds against the number of unlabeled rows",
            "`TriClassSVC`",
            "tri-time",
            beside("tri-time", "CCCP, reduced program", digits=3, unit="s"),
        ),
        Entry(
            "Table 4, 3C-SVM",
            "Digits 5 against 8, accuracy",
            '`TriClassSVC(method="paper")`',
            "tri-digits",
            beside("tri-digits", "3C-SVM"),
        ),
        Entry(
            "Table 4, ours",
            "The same with nothing chosen",
            "`TriClassSVC`",
            "tri-digits",
            beside("tri-digits", "TriClassSVC", printed_as="3C-SVM"),
        ),
        Entry(
            "Table 4, SS-ELM",
            "The baseline of random features",
            "`widemargin_bench.ss_elm`",
            "tri-digits",
            beside("tri-digits", "SS-ELM"),
        ),
        Entry(
            "Table 4, S3VM, U-SVM, LapSVM",
            "The other baselines; figures are those of the U-SVM",
            "`TransductiveSVC`, `UniversumSVC`, `LaplacianSVC`",
            "tri-digits",
            beside("tri-digits", "U-SVM"),
        ),
    ),
    "Patel, Sundararajan, Shevade 2009 (SSuSVR, SSuGPR, SSuGPS)": (
        Entry(
            "Algorithm 1",
            "Self-labeling, support vector regression",
            "`SelfLabelingSVC`",
            "self-labeling-table2",
            beside("self-labeling-table2", "SSuSVR"),
        ),
        Entry(
            "Algorithm 2",
            "Self-labeling, Gaussian process regression",
            "`SelfLabelingGPC`",
            "self-labeling-table2",
            beside("self-labeling-table2", "SSuGPR"),
        ),
        Entry(
            "SSuGPS",
            "The same with an informative vector machine",
            "`SelfLabelingGPC(landmarks=InformativeVectors(...))`",
            "self-labeling-table2",
            beside("self-labeling-table2", "SSuGPS"),
        ),
        Entry(
            "Eqs. (8) and (9), Section 4.2",
            "Two losses of the threshold",
            '`InSample("absolute")`, `InSample("squared")`',
            "self-labeling-table2",
            beside("self-labeling-table2", "SSuGPR, squared loss"),
            "The line of Algorithm 2 has the absolute loss, Eq. (9). The paper prints "
            "SSuGPS on two sets, see the remarks of the table",
        ),
        Entry(
            "Figures 1 and 2",
            "Decision boundaries on a toy set",
            "`DecisionDisplay`, `predict(X, return_std=True)`",
            reason="Pictures of one draw, without numbers",
        ),
        Entry("Table 1", "Sizes of the sets", "as printed", reason="Used as printed"),
        Entry(
            "Table 2",
            "Seven sets",
            "`SelfLabelingGPC`",
            "self-labeling-table2",
            beside("self-labeling-table2", "GPC", printed_as="SSuGPR"),
        ),
        Entry(
            "Table 3",
            "USPS 3 against 5",
            "`SelfLabelingGPC`",
            "self-labeling-table3",
            beside("self-labeling-table3", "GPC", printed_as="SSuGPR"),
        ),
        Entry(
            "Table 4",
            "USPS, digit against rest",
            "`SelfLabelingGPC`",
            "self-labeling-table4",
            beside("self-labeling-table4", "SSuGPS", digits=2),
            "Two draws on most rows. SSuSVR has no column here",
        ),
        Entry(
            "Table 5",
            "NCNM, the model of others",
            "`widemargin_bench.tables.self_labeling_methods`",
            "self-labeling-table4",
            beside("self-labeling-table4", "NCNM", digits=2),
        ),
        Entry(
            "Section 4.4",
            "Seconds of a fit",
            "`SelfLabelingGPC`",
            "self-labeling-table4",
            beside(
                "self-labeling-table4", "SSuGPS", metric="fit_seconds", digits=1,
                unit="s",
            ),
        ),
        Entry(
            "Section 3",
            "Probabilities",
            '`predict_proba`, `probabilities="probit"`',
            "self-labeling-probabilities",
            beside("self-labeling-probabilities", "probit", digits=2, unit="nats"),
        ),
    ),
}  # fmt: skip
HEADER = (
    "in the paper", "what", "here", "command", "ours", "in print", "best peer",
)  # fmt: skip
TITLE = "# Every algorithm, table and figure of the papers"
INTRODUCTION = """\
Five papers, line by line: where each algorithm, table and figure is in the library, the
command that measures it (after `widemargin`), our mean beside the printed one over the
rows that are in print, and the best of scikit-learn's methods on the same draws. The
[page of benchmarks](benchmark_report.md) has every row, and
[this page](papers.md) says in words what reproduces and what does not. All figures are
computed from the stored results, which were recorded at different times with different
versions; `python -m widemargin_bench.coverage benchmarks/results` writes this page.
"""


def write_page(results):
    """The page, as Markdown."""
    lines = [TITLE, "", INTRODUCTION, _duration(results), ""]
    for paper, entries in PAPERS.items():
        lines += [f"## {paper}", "", _line(HEADER), _line(["---"] * len(HEADER))]
        lines += [_line(entry.cells(results)) for entry in entries]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _line(cells):
    return f"| {' | '.join(cells)} |"


def recorded_hours(results):
    """Hours of fits in the stored results, summed: less than a run takes."""
    seconds = 0.0
    for summary in results.summaries():
        for (_, _, metric), cell in summary.cells.items():
            if metric == "fit_seconds":
                seconds += sum(cell.values.values())
    return seconds / 3600.0


def _duration(results):
    return (
        "`widemargin bench run` measures everything with one command and continues "
        "where it was interrupted. The fits in the stored results took "
        f"{show(recorded_hours(results), 1)} hours of processor time together; "
        "choosing parameters, reading data and scoring come on top and were not "
        "recorded, so that a full run takes longer, and was not made in one piece."
    )


def main():
    """Print the page for a folder of results."""
    sys.stdout.write(write_page(Results(read_folder(sys.argv[1])[0])))


if __name__ == "__main__":
    main()
