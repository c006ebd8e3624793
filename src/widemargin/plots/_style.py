"""How displays look: one color and marker per class, the same in all of them."""

import math
from dataclasses import dataclass

import numpy as np

from widemargin.checks import name_package

# The colors of Okabe and Ito, which color-blind readers can tell apart, without yellow,
# which is hard to see on white, and black, which is for boundaries and labeled rows.
COLORS = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A5195",
)  # fmt: skip
MARKERS = "os^Dv<>pP*X"  # 11 markers and 7 colors: pairs repeat after 77 classes
GRAY = "#7F7F7F"  # rows of no class
GRID = {"alpha": 0.25, "linewidth": 0.6}
_LEGEND_ROWS = 14
_OTHER_ENTRIES = 5  # of a legend, besides the classes
_NAME_LENGTH = 30  # letters of a name in a legend
_MIN_WIDTH = 4.4  # of axes beside a legend, in inches
_TICK_SPAN = 200  # a logarithmic axis that spans less also has ticks at 2 and 5


def class_color(code):
    """Color of a class or cluster by its position; gray for -1, no class."""
    return GRAY if code < 0 else COLORS[code % len(COLORS)]


def class_marker(code):
    """Marker of a class or cluster by its position; a cross for -1, no class."""
    return "x" if code < 0 else MARKERS[(code + code // len(COLORS)) % len(MARKERS)]


def class_look(code):
    """Color and marker of a class, as matplotlib takes them."""
    return {"color": class_color(code), "marker": class_marker(code)}


def row_size(n_rows):
    """Marker area of rows, smaller for many of them."""
    return min(26.0, max(5.0, 350.0 / math.sqrt(max(n_rows, 1))))


def short_name(name):
    """A name, without its middle if it is long; dollar signs start no formula."""
    name, half = str(name), _NAME_LENGTH // 2
    if len(name) > _NAME_LENGTH:
        name = f"{name[:half]}…{name[1 - half :]}"
    return name.replace("$", r"\$")


@dataclass(repr=False, eq=False, kw_only=True)
class Display:
    """The titles of displays, and the steps of drawing that they share."""

    axis_names: tuple = ("feature 1", "feature 2")
    name: str = ""

    def _open(self, ax, size=(6.4, 4.4), names=(), titles=None):
        """Set ``ax_`` and ``figure_``; a new figure has room for names in a legend."""
        if ax is None:
            longest = max((len(short_name(each)) for each in names), default=0)
            n_columns = math.ceil((len(names) + _OTHER_ENTRIES) / _LEGEND_ROWS)
            width = _MIN_WIDTH + n_columns * (0.4 + 0.08 * longest)  # about
            ax = new_axes((max(size[0], width), size[1]))
        self.ax_, self.figure_ = open_frame(ax), ax.figure
        xlabel, ylabel = titles or self.axis_names
        ax.set(title=self.name, xlabel=xlabel, ylabel=ylabel)
        return ax

    def _draw_classes(self, points, codes, labeled):
        """Set ``labeled_`` and ``unlabeled_``: dicts of scatters by code."""
        labeled_size = min(65.0, max(30.0, 2500.0 / max(labeled.sum(), 1)))
        sizes, drawn = (row_size(len(points)), labeled_size), ({}, {})
        for code in np.unique(codes).tolist():
            for kind, size in enumerate(sizes):
                own = points[(codes == code) & (labeled == kind)]
                if len(own):
                    drawn[kind][code] = self._draw_rows(own, code, size, bool(kind))
        self.unlabeled_, self.labeled_ = drawn

    def _draw_rows(self, points, code, size, is_labeled=False):
        """Rows of one class; labeled ones are larger and have a black edge."""
        look = class_look(code)
        if is_labeled:
            look |= {} if code < 0 else {"edgecolor": "black", "linewidth": 1.2}
            return self.ax_.scatter(*points.T, s=size, zorder=4, **look)
        look |= {} if code < 0 else {"linewidth": 0}  # a cross consists of lines
        return self.ax_.scatter(*points.T, s=size, zorder=3, alpha=0.75, **look)

    def _class_handles(self, rest):
        """Legend entries of the classes, of rows of no class, and of labeled rows."""
        handles = [class_handle(code, name) for code, name in enumerate(self.classes)]
        handles += [rest] if (self.codes < 0).any() else []
        labeled = kind_handle("labeled", is_labeled=True)
        return [*handles, labeled] if self.labeled_ else handles

    def _put_legend(self, handles):
        """Set ``legend_``, to the right of the axes, where it covers nothing."""
        self.legend_ = None
        if handles:
            self.legend_ = self.ax_.legend(
                handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1.0),
                ncols=math.ceil(len(handles) / _LEGEND_ROWS), borderaxespad=0.0,
                columnspacing=1.0, handletextpad=0.5, frameon=False,
            )  # fmt: skip


def new_axes(size, n_rows=1):
    """Axes of a new figure, one below the other; ImportError without matplotlib."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as problem:
        needs = name_package("A display", "matplotlib", "plots")
        raise ImportError(needs) from problem
    return plt.subplots(n_rows, figsize=size, layout="constrained", sharex=True)[1]


def open_frame(ax):
    """Remove the lines above and to the right of the axes."""
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def use_whole_numbers(axis, values):
    """Put ticks at whole numbers if the values of this axis are counts."""
    values = values[np.isfinite(values)]
    if np.array_equal(values, np.round(values)):
        axis.get_major_locator().set_params(integer=True)


def make_logarithmic(axis):
    """A logarithmic axis with few ticks and plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    low, high = axis.get_view_interval()
    subs = (1, 2, 5) if high < _TICK_SPAN * low else (1,)
    axis.set_major_locator(LogLocator(subs=subs, numticks=6))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def line_handle(name, **look):
    """The legend entry of a line."""
    from matplotlib.lines import Line2D

    return Line2D([], [], label=name, **look)


def class_handle(code, name):
    """The legend entry of a class."""
    look = class_look(code)
    edge = look["color"] if code < 0 else "none"
    look |= {"linestyle": "none", "markersize": 6.5, "markeredgecolor": edge}
    return line_handle(short_name(name), **look)


def kind_handle(name, *, is_labeled):
    """The legend entry of labeled or of unlabeled rows."""
    color, size, edge = ("white", 8, "black") if is_labeled else (GRAY, 4.5, "none")
    look = {"linestyle": "none", "markersize": size, "markeredgecolor": edge}
    return line_handle(name, color=color, marker="o", **look)


def class_names(codes, classes):
    """Names of the classes of rows, None for rows of no class."""
    return [None if code < 0 else classes[code] for code in codes.tolist()]


def make_frame(columns):
    """A pandas DataFrame of named columns."""
    import pandas as pd  # not needed to draw

    return pd.DataFrame(columns)
