"""Two programs of the tri-class paper as printed, solved by clarabel.

`printed_cccp` is Algorithm 1 with its program (21), which the library solves in a
reduced form; labels, which the print forgets, are in the quadratic and the linear term.
`solve_relaxation` is the semidefinite relaxation of Theorem 2.
"""

from itertools import product

import numpy as np
from scipy import sparse


def printed_cccp(gram, signs, p, start, decide, *, max_iter=50):
    """Steps until decisions and slopes repeat, none taken back.

    Parameters
    ----------
    gram : ndarray of shape (n_samples, n_samples)
        Labeled rows come first. Its entries should be of order 1.
    signs : ndarray of shape (n_labeled,)
    p : dict
        C, C_u, epsilon, kappa and D.
    start : ndarray of shape (n_samples,)
        Scores of the model of the labels alone.
    decide : callable
        Which unlabeled rows are relevant by their scores, Eq. (19).
    max_iter : int
        Steps at the most.

    Returns
    -------
    ndarray of shape (n_samples + 1, 1)
        Coefficients of the samples' kernel functions, and the intercept.
    """
    program = PrintedProgram(gram, signs, p)
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
        relevant = decide(f)
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


def solve_relaxation(gram, signs, p):
    """Optimum of the program (9), half of its t: the objective (8) over lambda.

    Misprints are corrected: epsilon in a, multipliers nu and delta >= 0, M positive
    semidefinite with the d of unlabeled rows on its diagonal, and a C of L + 2 U
    entries. There is no intercept.

    Parameters
    ----------
    gram : ndarray of shape (n_samples, n_samples)
        Labeled rows come first. Its entries should be of order 1.
    signs : ndarray of shape (n_labeled,)
    p : dict
        C, C_u, epsilon and D.

    Returns
    -------
    float
    """
    return _Relaxation(gram, signs * signs[0], p).solve()


class _Relaxation:
    """Variables, and entries of both semidefinite matrices.

    The first label is +1, so that the first row of M stands for y.
    """

    def __init__(self, gram, signs, p):
        n, n_labeled = len(gram), len(signs)
        self.n_labeled, self.n_unlabeled = n_labeled, n - n_labeled
        self.n_rows = n + 2 * self.n_unlabeled
        self.known = np.outer(signs, signs)
        self._number_variables(np.arange(n) < n_labeled)
        self.dual = self._dual_entries(gram, p)

    def _number_variables(self, labeled):
        """Variables M, d, nu, delta and t; M has -1 where labels are known."""
        n = len(labeled)
        self.M = np.full((n, n), -1)
        i, j = np.nonzero(np.triu(~(labeled[:, None] & labeled)))
        self.M[i, j] = self.M[j, i] = np.arange(len(i))
        self.d = self.M[np.arange(n), np.arange(n)][self.n_labeled :]  # diag(M) = d
        self.nu = len(i) + np.arange(self.n_rows)
        self.delta = self.nu[-1] + 1 + np.arange(n + self.n_unlabeled)
        self.t = self.delta[-1] + 1

    def _entry(self, i, j, factor):
        """(variable or -1, factor) of an entry of M times a factor."""
        variable = self.M[i, j]
        return variable, factor * (self.known[i, j] if variable < 0 else 1.0)

    def _dual_entries(self, gram, p):
        """Entries (i, j, variable, coefficient) of the large matrix."""
        costs = np.repeat([p["C"], p["C_u"]], [self.n_labeled, 2 * self.n_unlabeled])
        last = self.n_rows
        corner = [(last, last, self.t, 1.0)]
        for variable, cost in zip(self.delta, costs, strict=True):
            corner.append((last, last, variable, -2.0 * cost))
        return self._inner_entries(gram) + self._border_entries(p) + corner

    def _inner_entries(self, gram):
        """P."""
        n, n_labeled, n_unlabeled = len(gram), self.n_labeled, self.n_unlabeled
        entries = []
        for i in range(n):
            entries += [(i, j, *self._entry(i, j, gram[i, j])) for j in range(i, n)]
            for k, s in product(range(n_unlabeled), (0, 1)):
                value = (1 - 2 * s) * gram[i, n_labeled + k]
                place = n + s * n_unlabeled + k
                entries.append((i, place, *self._entry(0, i, value)))
        inner = np.kron([[1, -1], [-1, 1]], gram[n_labeled:, n_labeled:])
        for i, j in zip(*np.triu_indices(2 * n_unlabeled), strict=True):
            entries.append((n + i, n + j, -1, inner[i, j]))
        return entries

    def _border_entries(self, p):
        """The last column, a + nu - B' delta."""
        n, last, entries = len(self.M), self.n_rows, []
        for i in range(last):
            k = (i - n) % self.n_unlabeled
            bound = self.delta[i if i < n else n + k]
            entries += [(i, last, self.nu[i], 1.0), (i, last, bound, -1.0)]
            if i < self.n_labeled:
                entries.append((i, last, -1, 1.0))
            elif i < n:
                entries.append((i, last, -1, 1.0 - p["D"]))
                entries.append((i, last, self.d[i - self.n_labeled], p["D"]))
            else:
                entries.append((i, last, -1, -p["epsilon"]))
                entries.append((i, last, self.d[k], -p["D"]))
        return entries

    def solve(self):
        """Half of the smallest t."""
        n, program = len(self.M), _ConeProgram(self.t + 1)
        pairs = zip(*np.triu_indices(n), strict=True)
        program.add_matrix(self.n_rows + 1, self.dual)
        program.add_matrix(n, [(i, j, *self._entry(i, j, 1.0)) for i, j in pairs])
        program.add_bounds(np.concatenate([self.nu, self.delta, self.d]), -1.0, 0.0)
        program.add_bounds(self.d, 1.0, 1.0)
        return program.minimize(self.t) / 2.0


class _ConeProgram:
    """Constraints of a program, A x + s = b with s in cones, as clarabel's input."""

    def __init__(self, n_variables):
        self.n_variables, self.begin = n_variables, 0
        self.rows, self.columns, self.values = [], [], []
        self.right, self.cones = [], []

    def add_matrix(self, n, entries):
        """A symmetric matrix, from its upper triangle, is positive semidefinite."""
        import clarabel

        places, right = _triangle(n), np.zeros(n * (n + 1) // 2)
        for i, j, variable, value in entries:
            scaled = value * (1.0 if i == j else np.sqrt(2.0))
            if variable < 0:
                right[places[i, j]] += scaled
                continue
            self.rows.append(self.begin + places[i, j])
            self.columns.append(variable)
            self.values.append(-scaled)
        self._close(right, clarabel.PSDTriangleConeT(n))

    def add_bounds(self, variables, sign, bound):
        """Variables times a sign are at most the bound."""
        import clarabel

        n = len(variables)
        self.rows += list(self.begin + np.arange(n))
        self.columns += list(variables)
        self.values += [sign] * n
        self._close(np.full(n, bound), clarabel.NonnegativeConeT(n))

    def _close(self, right, cone):
        self.right.append(right)
        self.cones.append(cone)
        self.begin += len(right)

    def minimize(self, variable):
        """The smallest value of a variable."""
        import clarabel

        shape = self.begin, self.n_variables
        A = sparse.csc_matrix((self.values, (self.rows, self.columns)), shape=shape)
        q = np.zeros(self.n_variables)
        q[variable] = 1.0
        nothing = sparse.csc_matrix((len(q), len(q)))
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        right = np.concatenate(self.right)
        solver = clarabel.DefaultSolver(nothing, q, A, right, self.cones, settings)
        return solver.solve().obj_val


def _triangle(n):
    """Position of each entry of a symmetric matrix in its upper triangle by columns."""
    i, j = np.triu_indices(n)
    places = np.zeros((n, n), dtype=int)
    places[i, j] = places[j, i] = j * (j + 1) // 2 + i
    return places
