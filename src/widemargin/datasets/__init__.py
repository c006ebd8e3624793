"""Artificial data, and hiding labels."""

from widemargin.datasets.generators import make_sheets, make_two_moons
from widemargin.datasets.labels import hide_labels

__all__ = ["hide_labels", "make_sheets", "make_two_moons"]
