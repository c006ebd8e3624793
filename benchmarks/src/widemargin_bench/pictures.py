"""Pictures of a report as SVG elements of a page.

Text stays text in the fonts of the page, ink is the page's own color, and the colors of
methods are variables of its style sheet, so that one picture serves light and dark.
"""

import io
import re
from dataclasses import dataclass
from html import escape
from itertools import count, product

import numpy as np

from widemargin_bench.statistics import growth_exponents, growth_metric, points

# Okabe and Ito's colors, safe for color-blind eyes; without yellow, and black, which
# is the ink. `report.css` has lighter ones for dark pages.
COLORS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a5195",
)  # fmt: skip
_MARKERS = "os^Dv<>pP*X"  # another number than of colors: pairs repeat late
_INK = "#7f7f7f"  # becomes the color of the page's text
_SIZE = 12.0
_WIDTH = 5.7  # inches of 72 pixels
_SPAN = 20  # values that span more are drawn on a logarithmic axis
_DENSE_SPAN = 200  # an axis that spans less also has ticks at 2 and 5

_PRINTED = {"linestyle": (0, (3, 2)), "linewidth": 1.1, "markerfacecolor": "none"}
_SETTINGS = {
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.size": _SIZE,
    "legend.fontsize": _SIZE - 1,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": _INK,
    "grid.alpha": 0.25,
    "grid.linewidth": 0.6,
    "lines.markersize": 5.5,
    "lines.linewidth": 1.7,
    **dict.fromkeys(
        ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color",
         "ytick.color", "legend.labelcolor"),
        _INK,
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Picture:
    """A picture and what it shows.

    Attributes
    ----------
    title : str
        Empty for a legend.
    svg : str
        One element, without a prolog.
    """

    title: str
    svg: str


@dataclass(frozen=True)
class Styles:
    """Numbers of colors and markers by name of a method, the same over a page."""

    numbers: dict[str, int]

    @classmethod
    def of(cls, benchmarks):
        """Methods of one table look different; those of pictures choose first."""
        neighbors = {}
        for benchmark in sorted(benchmarks, key=lambda b: b.picture is None):
            names = {method.name for method in benchmark.methods}
            for method in benchmark.methods:
                neighbors.setdefault(method.name, set()).update(names)
        numbers = {}
        for name, others in neighbors.items():
            taken = {numbers[other] for other in others & numbers.keys()}
            numbers[name] = next(i for i in count() if i not in taken)
        return cls(numbers)

    def color(self, name):
        """Color of a method."""
        return COLORS[self.numbers[name] % len(COLORS)]

    def marker(self, name):
        """Marker of a method."""
        number = self.numbers[name]
        return _MARKERS[(number + number // len(COLORS)) % len(_MARKERS)]

    def look(self, name):
        """Color and marker of a method, for a line."""
        return {"color": self.color(name), "marker": self.marker(name)}


def draw(summary, styles):
    """Pictures that a benchmark declares.

    Parameters
    ----------
    summary : Summary
    styles : Styles

    Returns
    -------
    list of Picture
        Empty if it declares none, or has no results to draw.
    """
    kinds = {"lines": draw_lines, "growth": draw_growth, "course": draw_courses}
    kind = summary.benchmark.picture
    return kinds[kind](summary, styles) if kind else []


def draw_lines(summary, styles):
    """Metrics against the x of rows, one picture per metric and group.

    Bars are one standard error; figures of the paper are hollow and dashed.
    """

    def finish(ax, curves):
        _scale(ax.xaxis, [x for _, known, _ in curves for x, _ in known])
        _legend(ax, _has_printed(curves))

    return _draw_curves(summary, styles, summary.benchmark.metrics, finish)


def draw_growth(summary, styles):
    """Seconds against the x of rows on logarithmic axes, a picture a group.

    The legend has the exponents that were fitted.
    """

    def finish(ax, curves):
        for axis in (ax.xaxis, ax.yaxis):
            _make_logarithmic(axis)
        _legend(ax, _has_printed(curves), n_columns=1)

    exponents = growth_exponents(summary)
    return _draw_curves(summary, styles, [growth_metric(summary)], finish, exponents)


def _draw_curves(summary, styles, metrics, finish, exponents=None):
    """One picture per metric and group; `finish` sets axes and legend."""
    name, pictures = summary.benchmark.name, []
    for metric, group in product(metrics, _groups(summary)):
        curves = _curves(summary, metric, group)
        if not curves:
            continue
        title = _title(group, metric)
        with _figure() as (figure, ax):
            for method, known, printed in curves:
                look = styles.look(method)
                exponent = (exponents or {}).get((group, method))
                power = "" if exponent is None else f": {_power(exponent)}"
                _draw_measured(ax, known, look, method + power)
                _draw_printed(ax, printed, look)
            ax.set(xlabel=summary.benchmark.x_label, ylabel=metric.label)
            finish(ax, curves)
            svg = _to_svg(figure, f"{name}-{len(pictures)}", title)
        pictures.append(Picture(title, svg))
    return pictures


def _has_printed(curves):
    return any(printed for *_, printed in curves)


def draw_courses(summary, styles):
    """Lists of numbers against their position, one picture per metric and row.

    A curve is the mean over runs; a run that has ended stays where it was.
    """
    pictures = []
    for metric in summary.benchmark.metrics:
        for row in summary.rows:
            found = {
                method.name: mean_course(summary.curves[key])
                for method in summary.methods
                if (key := (row.name, method.name, metric.name)) in summary.curves
            }
            if not found:
                continue
            title = _title(row.name, metric)
            with _figure() as (figure, ax):
                for name, course in found.items():
                    step = max(1, len(course) // 8)
                    ax.plot(course, label=name, markevery=step, **styles.look(name))
                ax.set(xlabel=summary.benchmark.x_label, ylabel=metric.label)
                _scale(ax.yaxis, np.concatenate(list(found.values())))
                _legend(ax)
                name = f"{summary.benchmark.name}-{len(pictures)}"
                pictures.append(Picture(title, _to_svg(figure, name, title)))
    return pictures


def mean_course(curves):
    """Mean of curves, the shorter ones continued by their last value."""
    longest = max(map(len, curves))
    return np.mean([np.pad(c, (0, longest - len(c)), "edge") for c in curves], axis=0)


def draw_ranking(ranking, name, styles):
    """Critical-difference diagram: mean ranks on an axis, bars join what is alike.

    Parameters
    ----------
    ranking : Ranking
    name : str
        Of the benchmark: names in the SVG begin with it.
    styles : Styles

    Returns
    -------
    Picture
    """
    names, ranks = list(ranking.mean_ranks), list(ranking.mean_ranks.values())
    n_left = (len(names) + 1) // 2
    cliques = ranking.cliques
    low, high = 1, len(names)
    top = 0.9 + 0.35 * len(cliques)  # where names begin, below the bars
    depth = top + 0.75 * n_left
    title = "Mean ranks"
    with _figure(height=0.42 * (depth + 1.6), width=9.6) as (figure, ax):
        ax.set_axis_off()
        margin = 0.42 * (high - low)
        ax.set(xlim=(low - margin, high + margin), ylim=(depth, -1.6))
        line = {"color": _INK, "linewidth": 1.0, "solid_capstyle": "butt"}
        ax.plot([low, high], [0, 0], **line)
        for tick in range(low, high + 1):
            ax.plot([tick, tick], [-0.15, 0], **line)
            ax.text(tick, -0.3, str(tick), ha="center", va="bottom")
        _draw_distance(ax, ranking, low, high)
        for level, clique in enumerate(cliques):
            ends = [ranking.mean_ranks[clique[i]] for i in (0, -1)]
            y = 0.5 + 0.35 * level
            ax.plot(ends, [y, y], color=_INK, linewidth=4, solid_capstyle="round")
        for i, (method, rank) in enumerate(zip(names, ranks, strict=True)):
            is_left = i < n_left
            y = top + 0.75 * (i if is_left else len(names) - 1 - i)
            end = low - 0.05 * margin if is_left else high + 0.05 * margin
            color = styles.color(method)
            ax.plot([rank, rank, end], [0, y, y], color=color, linewidth=1.2)
            ax.plot([rank], [0], marker=styles.marker(method), color=color)
            label = f"{method}  {rank:.2f}" if is_left else f"{rank:.2f}  {method}"
            side = "right" if is_left else "left"
            ax.text(end + (-1 if is_left else 1) * 0.03 * margin, y, label,
                    ha=side, va="center")  # fmt: skip
        return Picture(title, _to_svg(figure, f"{name}-ranks", title))


def _draw_distance(ax, ranking, low, high):
    """The critical distance as a bar above the axis, cut if it is longer."""
    distance, y = ranking.critical_distance, -1.25
    end = min(low + distance, high)
    ax.plot([low, end], [y, y], color=_INK, linewidth=2)
    for x in (low, end):
        ax.plot([x, x], [y - 0.12, y + 0.12], color=_INK, linewidth=1)
    text = f"critical distance {distance:.2f}"
    ax.text(end + 0.02 * (high - low), y, text, va="center", size=_SIZE - 1)


def _groups(summary):
    return list(dict.fromkeys(row.group for row in summary.rows))


def _title(group, metric):
    return f"{group}: {metric.label}" if group else metric.label


def _curves(summary, metric, group):
    """(method, measured points, printed points) of methods with points."""
    found = []
    for method in summary.methods:
        known = points(summary, metric, group, method.name)
        rows = [r for r in summary.rows if r.group == group and r.x is not None]
        printed = sorted(
            (row.x, figure.value)
            for row in rows
            if (figure := summary.published.get((row.name, method.name, metric.name)))
        )
        if known:
            found.append((method.name, known, printed))
    return found


def _draw_measured(ax, known, look, label):
    x = [x for x, _ in known]
    y = [cell.mean for _, cell in known]
    error = [cell.standard_error or 0.0 for _, cell in known]
    ax.errorbar(x, y, error, label=label, elinewidth=1, **look)


def _draw_printed(ax, printed, look):
    if printed:
        x, y = zip(*printed, strict=True)
        ax.plot(x, y, **_PRINTED, **look)


def _power(exponent):
    """The exponent in words."""
    if exponent.error is None:
        return f"exponent {exponent.value:.2f}"
    return f"exponent {exponent.value:.2f} ± {exponent.error:.2f}"


def _scale(axis, values):
    """A logarithmic axis for values that span decades."""
    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    if len(values) and values.min() > 0 and values.max() > values.min() * _SPAN:
        _make_logarithmic(axis)


def _make_logarithmic(axis):
    """Logarithmic, with plain numbers at ticks."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    getattr(axis.axes, f"set_{axis.axis_name}scale")("log")
    low, high = axis.get_view_interval()
    is_dense = high / low < _DENSE_SPAN
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if is_dense else (1,), numticks=9))
    axis.set_major_formatter(FuncFormatter(lambda value, _: _plain(value)))
    axis.set_minor_formatter(NullFormatter())


def _plain(value):
    """A number at a tick: far from one as a power of ten."""
    if 1e-4 <= value < 1e6:
        return f"{value:,.6g}"
    digits, power = f"{value:.0e}".split("e")
    raised = str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{raised}" if digits == "1" else f"{digits}·10{raised}"


def _legend(ax, has_printed=False, n_columns=2):
    """Names below the axes."""
    handles, labels = ax.get_legend_handles_labels()
    if has_printed:
        (printed,) = ax.plot([], [], color=_INK, marker="o", **_PRINTED)
        handles, labels = [*handles, printed], [*labels, "printed in the paper"]
    ax.figure.legend(handles, labels, loc="outside lower left", ncols=n_columns)


class _figure:
    """A figure with one set of axes, drawn with the settings above."""

    def __init__(self, width=_WIDTH, height=4.4):
        self.size = width, height

    def __enter__(self):
        matplotlib = load_matplotlib()
        self.settings = matplotlib.rc_context(_SETTINGS)
        self.settings.__enter__()
        figure = matplotlib.figure.Figure(figsize=self.size, layout="constrained")
        figure.patch.set_alpha(0)
        ax = figure.subplots()
        ax.patch.set_alpha(0)
        return figure, ax

    def __exit__(self, *problem):
        return self.settings.__exit__(*problem)


def load_matplotlib():
    """The package matplotlib.

    Raises
    ------
    ImportError
        If it is not installed.
    """
    try:
        import matplotlib
        import matplotlib.figure
    except ImportError as problem:
        raise ImportError(
            "Pictures need matplotlib, which is not installed: pip install matplotlib."
        ) from problem
    return matplotlib


def _to_svg(figure, name, title):
    """The figure as an element of a page; names of its parts begin with `name`."""
    matplotlib = load_matplotlib()
    file = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": name}):
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(file, format="svg", metadata=nothing)
    return _embed(file.getvalue(), re.sub(r"[^\w-]", "_", name), title)


def _embed(svg, prefix, title):
    """An SVG file as an element that lives with others in one page."""
    body = svg[svg.index("<g ") : svg.rindex("</svg>")]
    body = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r"<style\b.*?</style>", "", body, flags=re.DOTALL)
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', body))

    def rename(match):
        return f' id="{prefix}-{match[1]}"' if match[1] in used else ""

    body = re.sub(r' id="([^"]*)"', rename, body)
    body = re.sub(r'(?:xlink:)?href="#', f'href="#{prefix}-', body)
    body = body.replace("url(#", f"url(#{prefix}-")
    body = re.sub(r"font: ([\d.]+)px [^;\"]*", r"font-size: \1px", body)
    body = re.sub(r"font-family: [^;\"]*;? ?", "", body)
    body = re.sub(r' (?:d|x|y|transform)="[^"]*"', _shorten, body)
    body = re.sub(r">\s+<", "><", body)
    body = body.replace(_INK, "currentColor")
    for number, color in enumerate(COLORS, 1):
        body = body.replace(color, f"var(--series-{number}, {color})")
    width, height = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg).groups()
    return (
        f'<svg class="picture" role="img" aria-label="{escape(title)}" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}" stroke-linejoin="round">'
        f"{body.strip()}</svg>"
    )


def _shorten(match):
    """An attribute on one line whose numbers have two decimals."""
    return re.sub(r"(\.\d\d)\d+", r"\1", match[0].replace("\n", ""))
