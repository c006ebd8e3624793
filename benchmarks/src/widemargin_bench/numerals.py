"""Numbers as people read them."""

import math

_SIGNIFICANT = 4  # digits at most; 1234.567 seconds are 1235


def show(value, digits, *, beside=None):
    """A number for people: so many decimals, fewer if it is large.

    A spread has the decimals of the number that it stands `beside`.
    """
    if value is None:
        return "–"
    scale = abs(value if beside is None else beside)
    if scale > 0:
        digits = min(digits, _SIGNIFICANT - 1 - math.floor(math.log10(scale)))
    shown = f"{value:.{max(digits, 0)}f}"
    return shown.lstrip("-") if float(shown) == 0 else shown.replace("-", "−")


def show_difference(value, digits, *, beside=None):
    """A number with its sign."""
    shown = show(value, digits, beside=beside)
    return f"+{shown}" if value > 0 and float(shown) != 0 else shown


def show_range(fewest, most):
    """One number, or from one to another."""
    return str(most) if fewest == most else f"{fewest} to {most}"
