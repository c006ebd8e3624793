"""Algorithm 1 of the tri-class paper with its program (21) as printed; needs clarabel.

The library solves the same steps in a reduced form, see `widemargin.solvers.cccp`; this
is for comparison. Labels, which the print forgets, are in the quadratic and the linear
term.
"""

import numpy as np
from scipy import sparse

from widemargin.objectives.tri_class import RelaxedMinLoss


def printed_cccp(gram, signs, p, start, *, max_iter=50):
    """Steps until decisions and slopes repeat, none taken back.

    Parameters
    ----------
    gram : ndarray of shape (n_samples, n_samples)
        Labeled rows come first. Its entries should be of order 1.
    signs : ndarray of shape (n_labeled,)
    p : dict
        C, C_u, epsilon, kappa and D.
    start : ndarray of shape (n_samples,)
        Scores of the machine of the labels alone.
    max_iter : int
        Steps at the most.

    Returns
    -------
    ndarray of shape (n_samples + 1, 1)
        Coefficients of the samples' kernel functions, and the intercept.
    """
    program = PrintedProgram(gram, signs, p)
    loss = RelaxedMinLoss(p["epsilon"], p["kappa"], p["D"])
    f, seen = start[len(signs) :], set()
    relevant = np.ones(len(f), dtype=bool)  # the start uses every sample
    for _ in range(max_iter):
        pulled = np.append(relevant & (f < p["kappa"]), relevant & (-f < p["kappa"]))
        state = pulled.tobytes()
        if state in seen:
            break
        seen.add(state)
        solution = program.solve(p["C_u"] * pulled)
        f = gram[len(signs) :] @ solution[:-1] + solution[-1]
        relevant = loss.decisions(f)  # Eq. (19)
    return solution[:, None]


class PrintedProgram:
    """The program (21), with L + 4 U multipliers, for any mu.

    Parameters
    ----------
    gram, signs, p
        As of `printed_cccp`.
    """

    def __init__(self, gram, signs, p):
        n_labeled, u = len(signs), len(gram) - len(signs)
        self.n_samples, self.n_labeled, self.n_unlabeled = len(gram), n_labeled, u
        copies = n_labeled + np.tile(np.arange(u), 4)
        self.rows = np.append(np.arange(n_labeled), copies)
        self.y = np.append(signs, np.tile(np.repeat([1.0, -1.0], u), 2))
        self.omega = self.y[:, None] * self.y * gram[np.ix_(self.rows, self.rows)]
        self.plain = np.repeat(
            [1.0, 1.0 - p["D"], -p["epsilon"]], [n_labeled, 2 * u, 2 * u]
        )
        self.costs = np.repeat([p["C"], p["C_u"]], [n_labeled, 4 * u])

    def solve(self, mu):
        """Coefficients of the samples and, last, the intercept; mu is (2 U,)."""
        import clarabel

        n, u = len(self.rows), self.n_unlabeled
        first = slice(self.n_labeled, self.n_labeled + 2 * u)  # copies with a mu
        linear = self.omega[:, first] @ mu + self.plain
        sums = [[mu @ self.y[first]], np.zeros(u), self.costs, np.zeros(n)]
        cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(u + 2 * n)]
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        found = clarabel.DefaultSolver(
            sparse.triu(sparse.csc_matrix(self.omega), format="csc"),
            -linear,
            self._constraints(),
            np.concatenate(sums),
            cones,
            settings,
        ).solve()
        weights = self.y * np.array(found.x)
        weights[first] -= self.y[first] * mu
        coefficients = np.bincount(self.rows, weights, self.n_samples)
        return np.append(coefficients, found.z[0])

    def _constraints(self):
        """The equality, the rows of A, and bounds from above and below."""
        unit = sparse.identity(len(self.rows))
        own = sparse.identity(self.n_unlabeled)
        nothing = sparse.csr_matrix((self.n_unlabeled, self.n_labeled))
        chained = sparse.hstack([nothing, -own, -own, own, own])
        return sparse.vstack([self.y[None], chained, unit, -unit]).tocsc()
