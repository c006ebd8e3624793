"""Labels and clusters that regularized least squares fits best, found by search.

`problem` is the objective as a function of the labels, `strategies` are ways to search,
`search` runs them from many starts, `path` follows a path of weights of the unlabeled
rows, and `clusters` and `choice` find clusters without any label.
"""

from widemargin.labelling.starts import Starts
from widemargin.labelling.strategies import (
    Automatic,
    Evolution,
    Reshaking,
    Search,
    Shaking,
    Steepest,
    Stochastic,
    Tabu,
)

__all__ = [
    "Automatic",
    "Evolution",
    "Reshaking",
    "Search",
    "Shaking",
    "Starts",
    "Steepest",
    "Stochastic",
    "Tabu",
]
