"""Approximate nearest neighbors: rows in cells, of which the nearest are searched.

The rows are divided into the cells of a k-means clustering. The neighbors of a row are
searched in the cells whose centers are nearest to it. How many cells that takes is
measured on some rows whose neighbors are known exactly, so that the share of true
neighbors that is found depends little on what the rows look like.

Nothing here is random from run to run, nor does it depend on the number of threads.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.neighbors import NearestNeighbors

from widemargin.defaults import CELL_SEARCH, EXACT_NEIGHBORS, PROJECTION
from widemargin.linalg.products import count_threads, suited_threads
from widemargin.linalg.rows import row_blocks
from widemargin.progress import counter

_N_TASKS = 64  # parts that threads share, the same for any number of threads


@dataclass(frozen=True)
class Cells:
    """An index of the rows of a dense matrix."""

    X: np.ndarray  # in their own order
    centers: np.ndarray  # (n_cells, n_features), double
    rows: np.ndarray  # positions of the rows, cell by cell
    starts: np.ndarray  # where each cell begins among those, and the end
    # Rows less their center, and the squared norm of that: differences of near rows
    # are exact enough in single precision, wherever zero is.
    points: np.ndarray
    probes: np.ndarray  # cells next to each of `rows`, the nearest first
    recall: float  # share of the true neighbors that are in those cells, estimated

    @classmethod
    def fit(cls, X, n_neighbors, *, rule=CELL_SEARCH):
        """Divide the rows into cells, for searches of so many neighbors."""
        rng, n_rows = np.random.default_rng(0), len(X)
        n_cells = min(int(np.sqrt(rule.cells * n_rows)), n_rows // rule.least_rows)
        centers = find_centers(X, max(n_cells, 1), rng, rule)
        n_probes, recall = _count_probes(X, centers, n_neighbors, rng, rule)
        probes = nearest_centers(X, centers, n_probes, "cells")
        rows = np.argsort(probes[:, 0], kind="stable")
        probes = probes[rows]
        points = np.empty((n_rows, X.shape[1] + 1), dtype=np.float32)
        for block in row_blocks(n_rows, X.shape[1], 8):
            points[block] = _with_norms(X[rows[block]] - centers[probes[block, 0]])
        starts = _cell_starts(probes[:, 0], len(centers))
        return cls(X, centers, rows, starts, points, probes, recall)

    @property
    def n_probes(self):
        """In how many cells the neighbors of a row are searched."""
        return self.probes.shape[1]

    def neighbors(self, n_neighbors):
        """Lengths to and positions of the nearest other rows of each row, sorted."""
        found = self._search(
            self.points, self.probes[:, 0], self.probes, len(self.X), n_neighbors
        )
        neighbors = np.empty_like(found)
        neighbors[self.rows] = found
        return self._measured(self.X, neighbors)

    def query(self, Z, n_neighbors):
        """Lengths to and positions of the nearest rows of each row of Z, sorted."""
        probes = nearest_centers(Z, self.centers, self.n_probes)
        order = np.argsort(probes[:, 0], kind="stable")
        probes = probes[order]
        queries = _with_norms(Z[order] - self.centers[probes[:, 0]])
        found = self._search(queries, probes[:, 0], probes, 0, n_neighbors)
        neighbors = np.empty_like(found)
        neighbors[order] = found
        return self._measured(Z, neighbors)

    def _measured(self, Z, neighbors):
        """Exact lengths of neighbors, and both in their order."""
        from widemargin.graphs.cells_loops import measure, sort_lists

        lengths = np.empty(neighbors.shape)
        measure(self.X, np.ascontiguousarray(Z), neighbors, lengths)
        sort_lists(lengths, neighbors)
        return lengths, neighbors

    def _search(self, queries, own, probes, n_excluded, n_neighbors):
        """Positions of the nearest rows of queries, which are sorted by their cell.

        The first `n_excluded` queries are the points themselves, which are not their
        own neighbors.
        """
        shape = len(queries), n_neighbors
        lengths = np.full(shape, np.inf, dtype=np.float32)
        nearest = np.full(shape, -1, dtype=np.int64)
        excluded = np.full(len(queries), -1)
        excluded[:n_excluded] = np.arange(n_excluded)
        self._search_cells(queries, own, probes, excluded, lengths, nearest)
        short = np.flatnonzero(nearest[:, -1] < 0)
        if len(short):  # those cells have fewer rows than neighbors are wanted
            every = np.arange(len(self.centers), dtype=probes.dtype)
            found = np.full((len(short), n_neighbors), -1, dtype=np.int64)
            far = np.full(found.shape, np.inf, dtype=np.float32)
            every = np.broadcast_to(every, (len(short), len(every)))
            self._search_cells(
                queries[short], own[short], every, excluded[short], far, found
            )
            nearest[short] = found
        return self.rows[nearest]

    def _search_cells(self, queries, own, probes, excluded, lengths, nearest):
        """Search the neighbors of all queries, cell by cell, in threads."""
        starts = _cell_starts(own, len(self.centers))

        def search(first, last):
            for cell in range(first, last):
                if starts[cell] < starts[cell + 1]:
                    part = slice(starts[cell], starts[cell + 1])
                    self._search_cell(
                        cell, queries, part, probes, excluded, lengths, nearest
                    )

        bounds = np.searchsorted(starts, np.linspace(0, len(queries), _N_TASKS + 1))
        bounds[0], bounds[-1] = 0, len(self.centers)
        tasks = [pair for pair in pairwise(bounds.tolist()) if pair[0] < pair[1]]
        _run(search, tasks, "neighbors")

    def _search_cell(self, cell, queries, part, probes, excluded, lengths, nearest):
        """Search the neighbors of the queries of one cell in the cells next to each."""
        from widemargin.graphs.cells_loops import keep_nearest

        probed = probes[part].ravel(order="F")
        order = np.argsort(probed, kind="stable")
        others, first = np.unique(probed[order], return_index=True)
        members = np.split(order % (part.stop - part.start), first[1:])
        # The nearest cells first: hardly anything in later ones is near enough.
        for i in np.argsort(order[first], kind="stable"):
            other, places = others[i], part.start + members[i]
            points = self.points[self.starts[other] : self.starts[other + 1]]
            moved = queries[places]
            offset = self.centers[cell] - self.centers[other]
            moved[:, :-1] += offset.astype(np.float32)
            norms = np.einsum("ij,ij->i", moved[:, :-1], moved[:, :-1])
            moved[:, :-1] *= -2.0
            moved[:, -1] = 1.0  # for the squared norms of the points
            for block in row_blocks(len(moved), len(points), 4):
                keep_nearest(
                    moved[block] @ points.T,
                    places[block],
                    self.starts[other],
                    excluded,
                    norms[block],
                    lengths,
                    nearest,
                )


@dataclass(frozen=True)
class ProjectedCells:
    """An index of the rows of a CSR matrix: candidates by their leading components.

    The lengths of the candidates are exact, and the nearest of them are returned.
    """

    X: object
    projection: TruncatedSVD
    cells: Cells
    n_candidates: int
    recall: float

    @classmethod
    def fit(cls, X, n_neighbors, *, rule=CELL_SEARCH, projection=PROJECTION):
        """Project the rows, and divide them into cells."""
        X = X.sorted_indices()
        rank = min(projection.n_components, X.shape[1] - 1, X.shape[0] - 1)
        projected = TruncatedSVD(rank, random_state=0)
        Z = projected.fit_transform(X)
        n_candidates = min(projection.candidates * n_neighbors, X.shape[0] - 1)
        cells = Cells.fit(Z, n_candidates, rule=rule)
        index = cls(X, projected, cells, n_candidates, 1.0)
        return cls(X, projected, cells, n_candidates, index._check(n_neighbors, rule))

    def neighbors(self, n_neighbors):
        """Lengths to and positions of the nearest other rows of each row, sorted."""
        candidates = self.cells.neighbors(self.n_candidates)[1]
        return self._choose(self.X, candidates, n_neighbors)

    def query(self, Z, n_neighbors):
        """Lengths to and positions of the nearest rows of each row of Z, sorted."""
        projected = self.projection.transform(Z)
        candidates = self.cells.query(projected, self.n_candidates)[1]
        return self._choose(Z, candidates, n_neighbors)

    def _choose(self, Z, candidates, n_neighbors):
        """The nearest of the candidates."""
        from widemargin.graphs.cells_loops import measure_sparse, sort_lists

        Z, X = Z.sorted_indices(), self.X
        lengths = np.empty(candidates.shape)
        measure_sparse(
            X.data, X.indices, X.indptr, Z.data, Z.indices, Z.indptr,
            candidates, lengths,
        )  # fmt: skip
        sort_lists(lengths, candidates)
        return lengths[:, :n_neighbors].copy(), candidates[:, :n_neighbors].copy()

    def _check(self, n_neighbors, rule):
        """Share of the true neighbors of some rows that are found."""
        rng, n_rows = np.random.default_rng(0), self.X.shape[0]
        drawn = rng.choice(n_rows, min(n_rows, rule.checked_rows), replace=False)
        Z = self.X[np.sort(drawn)]
        finder = NearestNeighbors(n_neighbors=n_neighbors, algorithm="brute")
        exact = finder.fit(self.X).kneighbors(Z)[0][:, -1:]
        found = self.query(Z, n_neighbors)[0]
        return float((found <= exact * (1.0 + 1e-6)).mean())


def nearest_centers(X, centers, n_nearest, stage=None):
    """The nearest centers of each row, the nearest first, (n_rows, n_nearest)."""
    from widemargin.graphs.cells_loops import keep_nearest

    mean = centers.mean(axis=0)  # distances far from zero would be inexact
    targets = _with_norms(centers - mean)
    nearest = np.zeros((len(X), n_nearest), dtype=np.int64)
    excluded = np.full(len(X), -1)

    def assign(start, stop):
        queries = np.empty((stop - start, X.shape[1] + 1), dtype=np.float32)
        queries[:, :-1] = 2.0 * (mean - X[start:stop])
        queries[:, -1] = 1.0
        lengths = np.full((stop - start, n_nearest), np.inf, dtype=np.float32)
        found = nearest[start:stop]
        places = np.arange(stop - start)
        norms = np.zeros(stop - start, dtype=np.float32)  # the same for all centers
        keep_nearest(queries @ targets.T, places, 0, excluded, norms, lengths, found)

    blocks = row_blocks(len(X), len(centers), 4, 2**24)
    _run(assign, [(block.start, block.stop) for block in blocks], stage)
    return nearest


def cell_means(X, n_cells, least_rows):
    """The cell of each row, and the means of cells of at least so many rows.

    None if there are too few rows for cells.
    """
    n_cells = min(n_cells, len(X) // (2 * least_rows))
    if n_cells < 2:
        return None
    centers = find_centers(X, n_cells, np.random.default_rng(0), CELL_SEARCH)
    cells = nearest_centers(X, centers, 1)[:, 0]
    while True:
        used = np.bincount(cells, minlength=len(centers)) >= least_rows
        if used.all():
            break
        centers = centers[used]  # rows of smaller cells join others
        cells = nearest_centers(X, centers, 1)[:, 0]
    order = np.argsort(cells, kind="stable")
    starts = _cell_starts(cells[order], len(centers))
    means = np.empty((len(centers), X.shape[1]), dtype=X.dtype)
    for cell, (start, stop) in enumerate(pairwise(starts.tolist())):
        means[cell] = X[order[start:stop]].mean(axis=0, dtype=np.float64)
    return cells, means


def _run(function, tasks, stage=None):
    """Call a function for each pair of arguments, the calls shared by threads."""
    step = counter(stage, len(tasks))
    # BLAS in one thread: how it rounds depends on the number of its threads.
    with suited_threads(0), ThreadPoolExecutor(count_threads()) as pool:
        for task in tasks[:1]:
            function(*task)  # compiles before threads start
            step()
        for part in [pool.submit(function, *task) for task in tasks[1:]]:
            part.result()
            step()


def _with_norms(rows):
    """Rows and, as one more column, their squared norms, in single precision."""
    found = np.empty((len(rows), rows.shape[1] + 1), dtype=np.float32)
    found[:, :-1] = rows
    found[:, -1] = np.einsum("ij,ij->i", rows, rows)
    return found


def _cell_starts(cells, n_cells):
    """Where each cell begins in a sorted list of cells, and the end."""
    return np.searchsorted(cells, np.arange(n_cells + 1))


def find_centers(X, n_cells, rng, rule):
    """Centers of some rows by a few rounds of k-means."""
    n_drawn = min(len(X), rule.rows_per_center * n_cells)
    drawn = X[np.sort(rng.choice(len(X), n_drawn, replace=False))].astype(np.float64)
    centers = drawn[np.sort(rng.choice(n_drawn, n_cells, replace=False))]
    for _ in range(rule.rounds):
        if n_cells > EXACT_NEIGHBORS.rows:
            own = Cells.fit(centers, 1).query(drawn, 1)[1][:, 0]
        else:
            own = nearest_centers(drawn, centers, 1)[:, 0]
        order = np.argsort(own, kind="stable")
        used, first, counts = np.unique(
            own[order], return_index=True, return_counts=True
        )
        centers[used] = np.add.reduceat(drawn[order], first) / counts[:, None]
    return centers


def _count_probes(X, centers, n_neighbors, rng, rule):
    """In how many cells to search, and the share of neighbors that are in them."""
    n_drawn = min(len(X), rule.checked_rows)
    drawn = np.sort(rng.choice(len(X), n_drawn, replace=False))
    finder = NearestNeighbors(n_neighbors=n_neighbors + 1, algorithm="brute").fit(X)
    found = finder.kneighbors(X[drawn], return_distance=False)
    used, place = np.unique(found, return_inverse=True)
    own = nearest_centers(X[used], centers, 1)[:, 0][place.reshape(found.shape)]
    ranks = np.argsort(nearest_centers(X[drawn], centers, len(centers)), axis=1)
    needed = np.take_along_axis(ranks, own, axis=1)[found != drawn[:, None]]
    wanted = np.sort(needed)[int(np.ceil(rule.recall * len(needed))) - 1] + 1
    most = int(np.ceil(rule.most_rows * len(centers) / len(X)))
    n_probes = max(1, min(int(wanted), most, len(centers)))
    return n_probes, float((needed < n_probes).mean())
