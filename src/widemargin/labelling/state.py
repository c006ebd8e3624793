"""Labels on the move, with the table that makes their moves cheap."""

import numpy as np


class LabelState:
    """Labels of a `LabelProblem` and what the compiled loops keep beside them.

    The loops write into these arrays. `problem` and the start are not changed.

    Parameters
    ----------
    problem : LabelProblem
    codes : ndarray of shape (n,)
        Labels to start from.
    """

    def __init__(self, problem, codes):
        smoother = problem.smoother
        dtype = smoother.matrix.dtype
        self.problem = problem
        self.codes = np.array(codes, dtype=np.int32)
        self.counts = np.bincount(self.codes, minlength=problem.n_classes)
        self.table = problem.table(self.codes)
        own = self.table[self.codes, np.arange(len(self.codes))]
        self.own_tie = own - smoother.weighted_diagonal
        self.move_penalty = np.where(problem.movable, 0.0, np.inf).astype(dtype)
        self.row = np.empty(problem.n_samples, dtype=dtype)

    @property
    def ties(self):
        """What the loops read of the smoother."""
        smoother = self.problem.smoother
        return smoother.matrix, smoother.low_rank, smoother.weighted_diagonal

    @property
    def moving(self):
        """What a move changes."""
        return self.table, self.own_tie, self.codes, self.counts

    @property
    def bounds(self):
        """Bounds of the sizes of the classes."""
        return self.problem.lower, self.problem.upper

    @property
    def tol(self):
        """Gains below this are rounding."""
        smoother = self.problem.smoother
        eps = 10 * np.finfo(smoother.matrix.dtype).eps
        largest = max(np.abs(self.table).max(), smoother.weighted_diagonal.max())
        return float(eps * largest)

    @property
    def inside(self):
        """Ties inside the classes, from the table."""
        own = self.own_tie.astype(np.float64) + self.problem.smoother.weighted_diagonal
        return float(own.sum())
