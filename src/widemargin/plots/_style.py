"""How pictures look: one color and marker a class, the same in every display."""

import math

import numpy as np

# Okabe and Ito's colors, told apart by all eyes, without the yellow, which is hard to
# see on white, and without black, which is for boundaries and labeled rows.
COLORS = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A5195",
)  # fmt: skip
MARKERS = "os^Dv<>pP*X"  # another number than of colors: pairs repeat after 77 classes
GRAY = "#7F7F7F"  # of rows that belong to no class
_LEGEND_ROWS = 14
_OTHER_ENTRIES = 5  # those of a legend that are no classes
_LONGEST = 30  # letters of a name in a legend
_LEAST_WIDTH = 4.4  # of axes beside a legend, in inches
_DECADES = 200  # a logarithmic axis that spans less has ticks at 2 and 5, too
_LABELED_SIZES = 30.0, 65.0  # for many and for few of them


def class_color(code):
    """Color of a class or cluster by its position; gray for -1, no class."""
    return GRAY if code < 0 else COLORS[code % len(COLORS)]


def class_marker(code):
    """Marker of a class or cluster by its position; a cross for -1, no class."""
    return "x" if code < 0 else MARKERS[(code + code // len(COLORS)) % len(MARKERS)]


def row_size(n_rows):
    """Marker area of rows, smaller for many of them."""
    return min(26.0, max(5.0, 350.0 / math.sqrt(max(n_rows, 1))))


def load_pyplot():
    """The module matplotlib.pyplot.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError as problem:
        raise ImportError(
            "Displays need matplotlib, which is not installed: "
            "pip install 'widemargin[plots]'."
        ) from problem
    return plt


def take_axes(ax, size=(6.4, 4.4), names=()):
    """The given axes, or those of a new figure with room for names in a legend."""
    plt = load_pyplot()
    if ax is None:
        width, height = size
        width = max(width, _LEAST_WIDTH + _legend_width(names))
        _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def short_name(name):
    """A name, without its middle if it is very long; dollars in it are no formula."""
    name, half = str(name), _LONGEST // 2
    if len(name) > _LONGEST:
        name = f"{name[:half]}…{name[1 - half :]}"
    return name.replace("$", r"\$")


def _legend_width(names):
    """About how wide a legend with these names and some others is, in inches."""
    longest = max((len(short_name(name)) for name in names), default=0)
    n_columns = math.ceil((len(names) + _OTHER_ENTRIES) / _LEGEND_ROWS)
    return n_columns * (0.4 + 0.08 * longest)


def labeled_size(n_labeled):
    """Marker area of labeled rows, smaller for many of them."""
    low, high = _LABELED_SIZES
    return min(high, max(low, 2500.0 / max(n_labeled, 1)))


def use_whole_numbers(axis, values):
    """Ticks at whole numbers, if the values of this axis are counts."""
    values = values[np.isfinite(values)]
    if np.array_equal(values, np.round(values)):
        axis.get_major_locator().set_params(integer=True)


def make_logarithmic(axis):
    """A logarithmic axis with few ticks and plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    low, high = axis.get_view_interval()
    subs = (1, 2, 5) if high < _DECADES * low else (1,)
    axis.set_major_locator(LogLocator(subs=subs, numticks=6))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def draw_classes(ax, points, codes, labeled):
    """Scatters of labeled and of unlabeled rows: two dicts, by the code of the class.

    Classes without rows have no scatter.
    """
    sizes = row_size(len(points)), labeled_size(labeled.sum())
    drawn = {}, {}
    for code in np.unique(codes).tolist():
        for is_labeled in (False, True):
            chosen = (codes == code) & (labeled == is_labeled)
            if chosen.any():
                drawn[is_labeled][code] = draw_rows(
                    ax,
                    points[chosen],
                    code,
                    sizes[is_labeled],
                    is_labeled=is_labeled,
                )
    unlabeled_rows, labeled_rows = drawn
    return labeled_rows, unlabeled_rows


def draw_rows(ax, points, code, size, *, is_labeled=False):
    """One scatter of rows of one class, those with a label large and rimmed."""
    look = {"color": class_color(code), "marker": class_marker(code)}
    if is_labeled:
        rim = {} if code < 0 else {"edgecolor": "black", "linewidth": 1.2}
        return ax.scatter(*points.T, s=size, zorder=4, **look, **rim)
    edge = {} if code < 0 else {"linewidth": 0}
    return ax.scatter(*points.T, s=size, zorder=3, alpha=0.75, **look, **edge)


def class_handle(code, name):
    """The entry of a class in a legend."""
    look = class_color(code), class_marker(code)
    return _handle(short_name(name), *look, 6.5, "none")


def kind_handle(name, *, is_labeled):
    """The entry of labeled or of unlabeled rows in a legend."""
    if is_labeled:
        return _handle(name, "white", "o", 8, "black")
    return _handle(name, GRAY, "o", 4.5, "none")


def line_handle(name, **look):
    """The entry of a line in a legend."""
    from matplotlib.lines import Line2D

    return Line2D([], [], label=name, **look)


def _handle(name, color, marker, size, edge):
    from matplotlib.lines import Line2D

    edge = color if marker == "x" else edge
    return Line2D(
        [], [], linestyle="none", label=name, color=color, marker=marker,
        markersize=size, markeredgecolor=edge,
    )  # fmt: skip


def put_legend(ax, handles):
    """A legend to the right of the axes, where it covers nothing."""
    return ax.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0.0,
        frameon=False,
        ncols=math.ceil(len(handles) / _LEGEND_ROWS),
        columnspacing=1.0,
        handletextpad=0.5,
    )
