"""Artificial data, and hiding labels."""

from widemargin.datasets.generators import (
    make_clock,
    make_gaussian2c,
    make_gp_toy,
    make_two_moons,
    make_waveform,
)
from widemargin.datasets.labels import hide_labels

__all__ = [
    "hide_labels",
    "make_clock",
    "make_gaussian2c",
    "make_gp_toy",
    "make_two_moons",
    "make_waveform",
]
