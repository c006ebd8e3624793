"""How displays look: one color and marker per class, the same in all of them."""

import math

import numpy as np

# The colors of Okabe and Ito, which color-blind readers can tell apart, without yellow,
# which is hard to see on white, and black, which is for boundaries and labeled rows.
COLORS = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A5195",
)  # fmt: skip
MARKERS = "os^Dv<>pP*X"  # 11 markers and 7 colors: pairs repeat after 77 classes
GRAY = "#7F7F7F"  # rows of no class
_LEGEND_ROWS = 14
_OTHER_ENTRIES = 5  # of a legend, besides the classes
_NAME_LENGTH = 30  # letters of a name in a legend
_MIN_WIDTH = 4.4  # of axes beside a legend, in inches
_TICK_SPAN = 200  # a logarithmic axis that spans less also has ticks at 2 and 5
_LABELED_SIZES = 30.0, 65.0  # for many and for few labeled rows


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
        width = max(width, _MIN_WIDTH + _legend_width(names))
        _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def short_name(name):
    """A name, without its middle if it is long; dollar signs start no formula."""
    name, half = str(name), _NAME_LENGTH // 2
    if len(name) > _NAME_LENGTH:
        name = f"{name[:half]}…{name[1 - half :]}"
    return name.replace("$", r"\$")


def _legend_width(names):
    """Approximate width of a legend with these names and a few others, in inches."""
    longest = max((len(short_name(name)) for name in names), default=0)
    n_columns = math.ceil((len(names) + _OTHER_ENTRIES) / _LEGEND_ROWS)
    return n_columns * (0.4 + 0.08 * longest)


def labeled_size(n_labeled):
    """Marker area of labeled rows, smaller for many of them."""
    low, high = _LABELED_SIZES
    return min(high, max(low, 2500.0 / max(n_labeled, 1)))


class Display:
    """What displays share: where they are drawn, and their titles."""

    axis_names = name = ""

    def _open(self, ax, size=(6.4, 4.4), names=()):
        """Set ``ax_`` and ``figure_``, with the titles of the axes."""
        self.ax_ = take_axes(ax, size, names)
        self.figure_ = self.ax_.figure
        self.ax_.set_title(self.name)
        if self.axis_names:
            self.ax_.set(xlabel=self.axis_names[0], ylabel=self.axis_names[1])
        return self.ax_


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


def draw_classes(ax, points, codes, labeled):
    """Draw labeled and unlabeled rows: two dicts of scatters by code of the class."""
    sizes = row_size(len(points)), labeled_size(labeled.sum())
    drawn = {}, {}
    for code in np.unique(codes).tolist():
        for is_labeled in (False, True):
            chosen = (codes == code) & (labeled == is_labeled)
            if chosen.any():
                size, own = sizes[is_labeled], points[chosen]
                scatter = draw_rows(ax, own, code, size, is_labeled=is_labeled)
                drawn[is_labeled][code] = scatter
    return drawn[True], drawn[False]


def draw_rows(ax, points, code, size, *, is_labeled=False):
    """Draw rows of one class; labeled ones are larger and have a black edge."""
    look = {"color": class_color(code), "marker": class_marker(code)}
    if is_labeled:
        rim = {} if code < 0 else {"edgecolor": "black", "linewidth": 1.2}
        return ax.scatter(*points.T, s=size, zorder=4, **look, **rim)
    edge = {} if code < 0 else {"linewidth": 0}
    return ax.scatter(*points.T, s=size, zorder=3, alpha=0.75, **look, **edge)


def line_handle(name, **look):
    """The legend entry of a line."""
    from matplotlib.lines import Line2D

    return Line2D([], [], label=name, **look)


def class_handle(code, name):
    """The legend entry of a class."""
    color, marker = class_color(code), class_marker(code)
    edge = color if marker == "x" else "none"
    look = {"linestyle": "none", "markersize": 6.5, "markeredgecolor": edge}
    return line_handle(short_name(name), color=color, marker=marker, **look)


def kind_handle(name, *, is_labeled):
    """The legend entry of labeled or of unlabeled rows."""
    color, size, edge = ("white", 8, "black") if is_labeled else (GRAY, 4.5, "none")
    look = {"linestyle": "none", "markersize": size, "markeredgecolor": edge}
    return line_handle(name, color=color, marker="o", **look)


def class_handles(classes, *, has_rest=False, rest_name="irrelevant"):
    """The legend entries of all classes, and of rows of no class if there are any."""
    handles = [class_handle(code, str(name)) for code, name in enumerate(classes)]
    return [*handles, class_handle(-1, rest_name)] if has_rest else handles


def class_names(codes, classes):
    """Names of the classes of rows, None for rows of no class."""
    return [None if code < 0 else classes[code] for code in codes.tolist()]


def make_frame(columns):
    """A pandas DataFrame of named columns."""
    import pandas as pd  # not needed to draw

    return pd.DataFrame(columns)


def put_legend(ax, handles):
    """Put a legend to the right of the axes, where it covers nothing."""
    return ax.legend(
        handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False,
        ncols=math.ceil(len(handles) / _LEGEND_ROWS), borderaxespad=0.0,
        columnspacing=1.0, handletextpad=0.5,
    )  # fmt: skip
