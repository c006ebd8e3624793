"""What a benchmark is: a table of a paper, declared as data.

A benchmark has rows (parts of data sets), columns (methods), numbered runs (draws of
labeled rows) and metrics. Its cells are measured one by one, see `runner`; the figures
that the paper printed stand beside them, see `catalog`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Claim:
    """A statement of a paper about its method, and how results decide about it.

    Attributes
    ----------
    text : str
        The claim, in short.
    judge : callable
        ``judge(results)`` returns a verdict ("holds", "holds in part" or "does not
        hold") and a sentence with the figures behind it, see `statements.Results`.

    Examples
    --------
    >>> from widemargin_bench import Claim
    >>> claim = Claim("The sky is blue.", lambda results: ("holds", "At noon."))
    >>> claim.judge(None)
    ('holds', 'At noon.')
    """

    text: str
    judge: Callable


@dataclass(frozen=True)
class Paper:
    """A paper that printed results.

    Attributes
    ----------
    name : str
        Authors and year, for headings.
    citation : str
        Authors, title, where and when.
    claims : tuple of Claim

    Examples
    --------
    >>> from widemargin_bench import Paper
    >>> Paper("Author 2001", "A. Author. A title. A journal, 2001.").name
    'Author 2001'
    """

    name: str
    citation: str
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True)
class Metric:
    """A figure that is measured.

    Attributes
    ----------
    name : str
        Key in the records.
    label : str
        For people, with the unit.
    lower_is_better : bool or None
        None if it is neither better nor worse, such as a number of iterations.
    digits : int
        Decimals to show.

    Examples
    --------
    >>> from widemargin_bench import Metric
    >>> Metric("error", "error, %").is_score, Metric("fit_seconds", "seconds").is_time
    (True, True)
    """

    name: str
    label: str
    lower_is_better: bool | None = True
    digits: int = 1

    @property
    def is_time(self):
        """Whether it is in seconds."""
        return self.name.endswith("seconds")

    @property
    def is_score(self):
        """Whether it measures quality, and not time or a count."""
        return self.lower_is_better is not None and not self.is_time


ERROR = Metric("error", "error on test rows, %")
UNLABELED_ERROR = Metric("unlabeled_error", "error on unlabeled rows, %")
ACCURACY = Metric("accuracy", "accuracy, %", lower_is_better=False)
RAND = Metric("ari", "adjusted Rand index", lower_is_better=False, digits=2)
SECONDS = Metric("fit_seconds", "seconds of a fit", digits=3)


@dataclass(frozen=True)
class Row:
    """A line of a table: data and how they are cut.

    Attributes
    ----------
    name : str
        Unique in the benchmark.
    needs : tuple of str
        Names of the sets of `load_set` that it reads.
    group : str
        Rows of one group are drawn as one curve.
    x : float or None
        Where the row lies on the horizontal axis of a picture.
    options : mapping
        Settings that the benchmark's own functions read; plain values only.
    set : str
        Name of the data; rows of one set count as one in rankings. By default each row
        is a set of its own.
    methods : tuple of str, optional
        Names of the methods that are measured on it; by default all of the benchmark.

    Examples
    --------
    >>> from widemargin_bench import Row
    >>> row = Row("iris, 10 labels", options={"n_labeled": 10})
    >>> row["n_labeled"]
    10
    """

    name: str
    needs: tuple[str, ...] = ()
    group: str = ""
    x: float | None = None
    options: Mapping = field(default_factory=dict)
    set: str = ""
    methods: tuple[str, ...] | None = None

    def __getitem__(self, option):
        return self.options[option]

    def has(self, method):
        """Whether a method is measured on it."""
        return self.methods is None or method.name in self.methods


@dataclass(frozen=True)
class Method:
    """A column of a table.

    Attributes
    ----------
    name : str
        Unique in the benchmark; the column of `published` that has this name stands
        beside it.
    measure : callable
        ``measure(draw, parameters)`` returns metrics by name: numbers, or lists of
        numbers for what is recorded along a run. `parameters` are what the benchmark's
        `choose` found for this method, else None.
    kind : {"paper", "baseline", "ours", "peer"}
        A method of the paper in its settings, a method of others that the paper
        compares with, ours as we recommend it, or what one would use instead.
    needs : tuple of str
        Modules that must be importable.
    extra_input : str
        Information that it uses beyond the labels, in a few words such as "true class
        shares". It is compared only with peers that use the same.
    most_runs : int or None
        Runs of a full run, if each takes so long that there are fewer than those of
        other methods.

    Examples
    --------
    >>> from widemargin_bench import Method
    >>> method = Method("half", lambda draw, parameters: {"error": draw / 2}, "ours")
    >>> method.measure(3.0, None)
    {'error': 1.5}
    """

    name: str
    measure: Callable
    kind: str = "paper"
    needs: tuple[str, ...] = ()
    extra_input: str = ""
    most_runs: int | None = None

    def limit(self, runs):
        """Its number of runs, for that of the benchmark."""
        return runs if self.most_runs is None else min(runs, self.most_runs)


@dataclass(frozen=True)
class Quick:
    """What remains of a benchmark in a quick run.

    Attributes
    ----------
    runs : int
    rows, methods : tuple of str or None
        Names; None for all.
    options : mapping
        Options that rows have in place of their own.

    Examples
    --------
    >>> from widemargin_bench import Quick
    >>> Quick(runs=2, rows=("iris",), options={"most_rows": 100}).rows
    ('iris',)
    """

    runs: int = 1
    rows: tuple[str, ...] | None = None
    methods: tuple[str, ...] | None = None
    options: Mapping = field(default_factory=dict)


@dataclass(frozen=True)
class Advice:
    """A method that we recommend, and what its user would do without it.

    The report compares the two over all rows of all benchmarks that have the same
    advice, see `statements`.

    Attributes
    ----------
    title : str
    method, instead : str
        Names of methods.
    estimate, estimate_std : str
        Names of the metrics with the method's estimate of its own error, and with the
        standard error of that estimate.
    by : tuple of str
        Options of rows by which the comparison is also split.
    data : str
        The data in a sentence.
    phrase : str
        What `instead` is called in a sentence, if not by its name.

    Examples
    --------
    >>> from widemargin_bench import Advice
    >>> Advice("New against old", "new", "old", phrase="the old one").name_instead
    'the old one'
    """

    title: str
    method: str
    instead: str
    estimate: str = "estimated_error"
    estimate_std: str = "estimated_error_std"
    by: tuple[str, ...] = ()
    data: str = "a data set"
    phrase: str = ""

    @property
    def name_instead(self):
        """The other method in a sentence."""
        return self.phrase or self.instead


@dataclass(frozen=True)
class Benchmark:
    """A table or figure of a paper.

    Attributes
    ----------
    name : str
        For the command line, and of the files of results and of published figures.
    paper : Paper or None
        None for tables of our own.
    source : str
        Where the paper has it, such as "Table 2".
    title : str
    protocol : str
        How figures are measured and what differs from the paper, in sentences for the
        reader of the report.
    metrics : tuple of Metric
        By the first one methods are compared with peers, and ranked.
    rows : tuple of Row
    methods : tuple of Method
    draw : callable
        ``draw(row, run)`` returns what methods measure; the same for the same numbers.
    runs : int
        Number of draws.
    paper_runs : int or None
        Number of runs behind the paper's standard deviations; None for as many as ours.
    quick : Quick
    choose : callable or None
        ``choose(row, methods, quick)`` returns parameters (plain values) by name of a
        method, chosen once for all runs of a row.
    picture : {"lines", "growth", "course"} or None
        Metrics against `Row.x`; seconds against it on logarithmic axes, with exponents;
        or lists of numbers against their position.
    x_label : str
        Of the picture.
    remarks : tuple of str or callable
        What a reader should know beside the figures. What the paper says and how we
        read it is a sentence; what our results show is a function, ``remark(results)``,
        that makes a sentence of them, see `statements.Results`.
    advice : Advice or None
        A comparison that the report makes for one of the methods.
    conclusion : callable or None
        ``conclusion(results)`` makes a sentence for the top of the report.

    Examples
    --------
    >>> from widemargin_bench import Benchmark, Method, Metric, Row
    >>> benchmark = Benchmark(
    ...     name="numbers", paper=None, source="our own", title="Numbers",
    ...     protocol="A number is drawn.", metrics=(Metric("error", "error, %"),),
    ...     rows=(Row("small", options={"size": 1}), Row("large", options={"size": 9})),
    ...     methods=(Method("half", lambda draw, _: {"error": draw / 2}, "ours"),),
    ...     draw=lambda row, run: row["size"] + run,
    ... )
    >>> rows, methods, n_runs = benchmark.part(rows=["large"], runs=3).plan(quick=False)
    >>> [row.name for row in rows], n_runs
    (['large'], 3)
    """

    name: str
    paper: Paper | None
    source: str
    title: str
    protocol: str
    metrics: tuple[Metric, ...]
    rows: tuple[Row, ...]
    methods: tuple[Method, ...]
    draw: Callable
    runs: int = 10
    paper_runs: int | None = None
    quick: Quick = Quick()
    choose: Callable | None = None
    picture: str | None = None
    x_label: str = ""
    remarks: tuple[str | Callable, ...] = ()
    advice: Advice | None = None
    conclusion: Callable | None = None

    def __post_init__(self):
        for kind in ("rows", "methods", "metrics"):
            names = [item.name for item in getattr(self, kind)]
            repeated = {name for name in names if names.count(name) > 1}
            if repeated:
                raise ValueError(f"{self.name} names {kind} twice: {sorted(repeated)}.")
        for kind in ("rows", "methods"):
            kept = getattr(self.quick, kind) or ()
            unknown = set(kept) - {item.name for item in getattr(self, kind)}
            if unknown:
                raise ValueError(
                    f"quick {kind} of {self.name} are not among its {kind}: "
                    f"{sorted(unknown)}."
                )

    def row(self, name):
        """The row of that name."""
        return next(row for row in self.rows if row.name == name)

    def method(self, name):
        """The method of that name."""
        return next(method for method in self.methods if method.name == name)

    def part(self, *, rows=(), methods=(), runs=None):
        """The benchmark of some rows and methods, and of more or fewer runs, or None.

        Rows and methods are selected by words that their names contain, in any case;
        selected ones are also part of a quick run.
        """
        changes, quick = {}, {}
        for kind, words in (("rows", rows), ("methods", methods)):
            if words:
                items = (i for i in getattr(self, kind) if _is_named(i, words))
                changes[kind], quick[kind] = tuple(items), None
        if () in changes.values():
            return None
        if runs is not None:
            changes["runs"] = quick["runs"] = runs
        return replace(self, **changes, quick=replace(self.quick, **quick))

    def plan(self, *, quick):
        """Rows, methods and the number of runs, of a quick run or a full one."""
        if not quick:
            return self.rows, self.methods, self.runs
        kept_rows, kept_methods = self.quick.rows, self.quick.methods
        rows = [r for r in self.rows if kept_rows is None or r.name in kept_rows]
        if self.quick.options:
            more = self.quick.options
            rows = [replace(r, options={**r.options, **more}) for r in rows]
        methods = [
            m for m in self.methods if kept_methods is None or m.name in kept_methods
        ]
        return tuple(rows), tuple(methods), min(self.quick.runs, self.runs)


def _is_named(item, words):
    return any(word.lower() in item.name.lower() for word in words)
