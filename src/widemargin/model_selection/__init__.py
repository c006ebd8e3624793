"""Select and score models with few labels."""

from widemargin.model_selection.balance import select_balance
from widemargin.model_selection.scoring import (
    held_out_scorer,
    labeled_scorer,
    leave_one_out_score,
)
from widemargin.model_selection.split import SemiSupervisedSplit

__all__ = [
    "SemiSupervisedSplit",
    "held_out_scorer",
    "labeled_scorer",
    "leave_one_out_score",
    "select_balance",
]
