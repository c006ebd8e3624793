"""The objective of Laplacian models, Eq. (7) of Melacci and Belkin (2011).

It is given by the coordinates of a function, and by the gradient at the labels alone.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np
from scipy.linalg import cho_solve

from widemargin.defaults import GRAPH_RATIO, GRAPH_SHARES
from widemargin.linalg.cholesky import jittered_cholesky, without_negative_part
from widemargin.linalg.products import column_dots


@dataclass(frozen=True)
class Intercept:
    """A constant b in the scores."""

    penalty: float = 0.0  # weight of b^2
    inside: bool = True  # whether the graph also acts on b; then no other penalty


class Functions:
    """The functions of a space, and a constant if any, in coordinates for solvers.

    With scores f = B c and squared norm c'P c, the gradient of h(f) + (ridge / 2) c'P c
    is B' dh + ridge P c; preconditioned by P it is
    ``pull(dh) + ridge * penalized(c)``, which never needs the inverse of P. A constant
    is the last coordinate, for which P is 1; its square has the weight `ridge` relative
    to the ambient norm. It is hidden from the graph if it is not `inside`.
    """

    def __init__(self, space, *, constant=False, ridge=0.0, inside=True):
        self.space, self.dtype, self.n_rows = space, space.dtype, space.n_rows
        self.n_coordinates = space.n_coordinates + constant
        self.constant, self.ridge, self.inside = constant, ridge, inside

    def scores(self, c):
        """Values on the rows, (n_coordinates, k) -> (n_rows, k)."""
        if not self.constant:
            return self.space.scores(c)
        return self.space.scores(c[:-1]) + c[-1]

    def pull(self, by_loss, by_graph):
        """The map P^-1 B' from the rows to the coordinates."""
        # For a Gram matrix, where B and P are both K, this is the identity.
        pulled = self.space.coordinates_of(by_loss + by_graph)
        if not self.constant:
            return pulled
        # The row for b of Eq. (9); the graph's part is in it only if b is in f'Lf.
        seen = by_loss + by_graph if self.inside else by_loss
        return np.vstack([pulled, seen.sum(axis=0)])

    def seen_by_graph(self, c, scores):
        """The part of the scores that the graph acts on."""
        return scores if self.inside else scores - c[-1]

    def penalized(self, c):
        """The coordinates with the share of the ambient weight that each bears."""
        if not self.constant:
            return c
        return np.vstack([c[:-1], self.dtype.type(self.ridge) * c[-1]])

    def inner(self, c, d, scores_d, ridge=1.0):
        """Inner product c'P d of each column, (k,); P is `ridge` for the constant."""
        if not self.constant:
            return self.space.inner(c, d, scores_d)
        # The space needs the scores of its own functions, without the constant.
        own = self.space.inner(c[:-1], d[:-1], scores_d - d[-1])
        return own + ridge * c[-1] * d[-1]


@dataclass(frozen=True)
class ManifoldObjective:
    r"""Labeled loss, ambient norm and smoothness along the graph.

    For each column f of the scores,

    .. math:: \tfrac12 \Big( \sum_{i \in L} w_i\, \ell(t_i, f_i)
              + \gamma_A \|f\|_K^2 + \gamma_I f^\top L f \Big),

    and columns do not interact. An intercept is part of f in the loss, and in the
    smoothness term or not, as set by its `Intercept`.
    """

    space: object  # of the functions f, without the intercept
    laplacian: object  # L, iterated or not: an operator with ``laplacian @ V``
    label_idx: np.ndarray  # row of each label; a row may stand there more than once
    targets: np.ndarray  # -1 and +1, (n_labeled, n_columns)
    weights: np.ndarray
    loss: object  # Squared or SquaredHinge
    ambient: float  # gamma_A > 0
    intrinsic: float  # gamma_I >= 0
    intercept: Intercept | None = None

    @cached_property
    def functions(self):
        """What the solvers work in: the space, with the intercept if any."""
        if self.intercept is None:
            return Functions(self.space)
        # All penalties, this one included, are multiplied by `ambient` later.
        ridge, inside = self.intercept.penalty / self.ambient, self.intercept.inside
        return Functions(self.space, constant=True, ridge=ridge, inside=inside)

    def value(self, c, scores, smoothing, columns=slice(None)):
        """Objective of each column, (k,), given the `smoothing` of the scores."""
        loss = self.loss.value(self.targets[:, columns], scores[self.label_idx])
        return 0.5 * (self.weights @ loss + self.norm(c, scores, c, scores, smoothing))

    def norm(self, c, scores, d, d_scores, d_smoothing):
        """Bilinear form of both penalties for each column, (k,)."""
        functions = self.functions
        ambient = self.ambient * functions.inner(c, d, d_scores, functions.ridge)
        return ambient + column_dots(functions.seen_by_graph(c, scores), d_smoothing)

    def smoothing(self, c, scores):
        """Gradient of the intrinsic term by the scores, (n_rows, k)."""
        if self.intrinsic == 0:
            return np.zeros_like(scores)
        smoothed = self.laplacian @ self.functions.seen_by_graph(c, scores)
        return smoothed * self.space.dtype.type(self.intrinsic)

    def gradient(self, c, scores, smoothing, columns=slice(None)):
        """Preconditioned gradient, Alg. 1: P^-1 times the gradient by c."""
        targets, at_labels = self.targets[:, columns], scores[self.label_idx]
        active = self.loss.active(targets, at_labels)
        # On active labels t^2 = 1, so that t (t f - 1) of Eq. (9) is f - t.
        residuals = np.where(active, self.weights[:, None] * (at_labels - targets), 0.0)
        by_loss = np.zeros_like(smoothing)
        # `add.at` and not an assignment: a row may have several labels.
        np.add.at(by_loss, self.label_idx, residuals)
        ridge = self.functions.penalized(c) * self.space.dtype.type(self.ambient)
        return self.functions.pull(by_loss, smoothing) + ridge

    def reduced(self, deformed=None):
        """The same minimum in as many unknowns as labels; `deformed` is its norm."""
        if deformed is None:
            ratio = self.intrinsic / self.ambient
            deformed = self.space.deformed(self.laplacian, ratio)
        return ReducedObjective.build(self, deformed)


@dataclass(frozen=True)
class ReducedObjective:
    r"""Loss and norm as functions of g, (n_labeled, n_columns), and an intercept.

    At any minimum the coordinates are :math:`c = -\gamma_A^{-1} A^{-1} B_L^\top g`,
    where g is the gradient of the loss at the labels and A the deformed norm. What
    remains is a small kernel problem with the Gram matrix S of the *deformed* kernel on
    labeled rows:

    .. math:: \tfrac12 \Big( \sum_i w_i\, \ell(t_i, f_i) + g^\top S g + \tau b^2 \Big),
              \qquad f = -S g + b\, q .

    The `offset` q is how a unit intercept shows in the labeled scores once the other
    coordinates have adapted to it. Its price :math:`\tau` is its own penalty or, inside
    the graph term, what the graph charges, which is zero where :math:`L 1 = 0`.
    """

    response: np.ndarray  # S, symmetric positive semi-definite
    offset: np.ndarray  # q, (n_labeled,); zero without an intercept
    offset_penalty: float  # tau
    basis: np.ndarray  # minus the coordinates of the function for each unit vector g
    offset_basis: np.ndarray  # the same for a unit intercept
    targets: np.ndarray
    weights: np.ndarray
    loss: object
    intercept: bool

    @classmethod
    def build(cls, objective, deformed):
        """Reduce a `ManifoldObjective`, given its factorized norm."""
        rows, ambient = objective.label_idx, objective.ambient
        # A^-1 B_L' / gamma_A, (n_coordinates, n_labeled): one solve serves all classes,
        # all active sets and, by `rescaled`, all weights of the same ratio.
        basis = deformed.solve_rows(rows) / ambient
        response = deformed.scores_at(rows, basis)
        # Symmetric and positive semi-definite but for rounding.
        response = without_negative_part(0.5 * (response + response.T))
        offset, penalty, offset_basis = _offset(objective, deformed)
        of_labels = objective.targets, objective.weights, objective.loss
        has_intercept = objective.intercept is not None
        own = response, offset, penalty, basis, offset_basis
        return cls(*own, *of_labels, has_intercept)

    def rescaled(self, factor):
        """The same problem with both penalty weights multiplied by `factor`."""
        # The deformed norm and q depend on the ratio of both weights only.
        penalty, response = self.offset_penalty * factor, self.response / factor
        basis = self.basis / factor
        return replace(self, response=response, basis=basis, offset_penalty=penalty)

    def scores(self, g, intercept):
        """Scores of the labeled rows, (n_labeled, n_columns)."""
        return self.offset[:, None] * intercept - self.response @ g

    def value(self, g, intercept, scores=None):
        """Objective of each column, (n_columns,), given the scores if known."""
        scores = self.scores(g, intercept) if scores is None else scores
        loss = self.weights @ self.loss.value(self.targets, scores)
        return 0.5 * (loss + self.norm(g, intercept, g, intercept, scores))

    def norm(self, g, intercept, h, other, scores=None):
        """Bilinear form g'Sh + tau b b' of each column, given the scores of h."""
        scores = self.scores(h, other) if scores is None else scores
        # f = -S h + b q, hence S h is the offset less the scores: no second product.
        inner = np.einsum("ij,ij->j", g, self.offset[:, None] * other - scores)
        return inner + self.offset_penalty * intercept * other

    def newton_points(self, active, columns, g, intercept):
        """Minimum of the quadratic of some columns; the others stay as they are.

        Columns with the same `active` labels share a factorization.
        """
        g, intercept = g.copy(), intercept.copy()
        for pattern, positions in column_groups(active[:, columns]):
            members = columns[positions]
            solve = self.stationary(pattern)
            g[:, members], intercept[members] = solve(self.targets[:, members])
        return g, intercept

    def stationary(self, active):
        """Maps targets to the minimum if exactly the `active` labels had a square."""
        E = np.flatnonzero(active)
        # At the minimum g_E = W_E (f_E - t_E), and g is zero elsewhere. Since f = b q -
        # S g, this is G g_E = b q_E - t_E; the equation of b is q_E'g_E + tau b = 0.
        G = self.response[np.ix_(E, E)] + np.diag(1.0 / self.weights[E])
        factor, _ = jittered_cholesky(G)
        q = self.offset[E]
        tilt = cho_solve(factor, q) if self.intercept else q  # G^-1 q
        schur = self.offset_penalty + q @ tilt  # of b, after g_E is eliminated

        def solve(targets):
            g = np.zeros(targets.shape)
            g[E] = -cho_solve(factor, targets[E])
            intercept = np.zeros(targets.shape[1])
            # Zero if b has no price and no active label depends on it: any b will do.
            if self.intercept and schur > 0:
                intercept = -(q @ g[E]) / schur
                g[E] += np.outer(tilt, intercept)
            return g, intercept

        return solve

    def mixed(self, other, share):
        """The problem whose function is a sum, `share` of its kernel being `other`'s.

        The norms of both parts are weighed by the inverse of their shares.
        """
        response = (1 - share) * self.response + share * other.response
        basis = (1 - share) * self.basis + share * other.basis
        return replace(self, response=response, basis=basis)

    def leave_one_out(self, solution):
        """Scores of labels without themselves, exact if no other changes `active`."""
        g = solution[:-1]
        scores = self.scores(g, solution[-1])
        active = self.loss.active(self.targets, scores)
        held_out = scores.copy()
        for pattern, members in column_groups(active):
            E = np.flatnonzero(pattern)
            # g is linear in the targets of E: this is -dg/dt, (n_labeled, n_active).
            inverse = -self.stationary(pattern)(np.eye(len(g))[:, E])[0]
            price = np.diagonal(inverse[E])[:, None]
            rest = np.ix_(E, members)
            # Without label i its gradient g_i is zero. Shifting its target by delta
            # until g_i - price_i delta = 0 gives the same equations: the shifted target
            # is then its score, t_i + g_i / price_i. Labels that are not active stay as
            # they are: leaving them out changes nothing.
            held_out[rest] = self.targets[rest] + g[rest] / price
        return held_out

    def coordinates(self, solution):
        """Coordinates, in the objective's functions, of a solution as above."""
        g, intercept = solution[:-1], solution[-1]
        c = -(self.basis @ g) - np.outer(self.offset_basis, intercept)
        return np.vstack([c, intercept]) if self.intercept else c


def column_groups(active):
    """Columns of a mask that are equal: pairs of a column and its positions."""
    patterns, group = np.unique(active, axis=1, return_inverse=True)
    for index, pattern in enumerate(patterns.T):
        yield pattern, np.flatnonzero(group.ravel() == index)


def _offset(objective, deformed):
    """How an intercept shows in the labels, its price, and its coordinates."""
    rows, space = objective.label_idx, objective.space
    silent = np.zeros(space.n_coordinates)
    if objective.intercept is None:
        return np.zeros(len(rows)), 0.0, silent
    if not objective.intercept.inside:
        return np.ones(len(rows)), objective.intercept.penalty, silent
    ones = np.ones((space.n_rows, 1))
    pull = objective.laplacian @ ones  # zero for a Laplacian that is not normalized
    adapted = deformed.solve(deformed.ratio * pull)  # coordinates, (m, 1)
    offset = 1.0 - deformed.scores_at(rows, adapted[:, 0])
    # What is left of a unit constant after the other coordinates have adapted; rounding
    # may make its price negative.
    kept = ones - space.scores(adapted)
    return offset, max(0.0, objective.intrinsic * np.vdot(pull, kept)), adapted[:, 0]


@dataclass(frozen=True)
class GraphModel:
    """A model with a share of the graph in its kernel."""

    share: float  # from 0 (no graph) to 1 (nothing but the kernel bent by the graph)
    power: int  # of the graph Laplacian; 0 for no graph
    prior: float  # prior weight of the power among those of the same share
    problem: ReducedObjective


@dataclass(frozen=True)
class GraphFamily:
    """Models in order of the share of the graph, then of its power."""

    models: list[GraphModel]
    # the model of share 1 and the most probable power (or the given one)
    graph: ManifoldObjective
    chosen: bool  # whether the weights were chosen for these rows, and not given

    def graph_objective(self, objective):
        """The model of share 1 on more rows than the family was built from."""
        # Of chosen weights the graph's stays; the ambient one is as one over the number
        # of rows, like the kernel's diagonal once the graph has bent it.
        graph, fewer = self.graph, 1.0
        if self.chosen:
            fewer = graph.space.n_rows / objective.space.n_rows
        weights = {"ambient": graph.ambient * fewer, "intrinsic": graph.intrinsic}
        return replace(objective, intercept=graph.intercept, **weights)


def given_graph(objective, problem=None):
    """A family of one: the objective with the weights that it has."""
    has_graph = objective.intrinsic > 0
    share, power = (1.0, objective.laplacian.power) if has_graph else (0.0, 0)
    model = GraphModel(share, power, 1.0, problem or objective.reduced())
    return GraphFamily([model], objective, chosen=False)


def share_graph(objective, powers=None, shares=GRAPH_SHARES, *, ratio=GRAPH_RATIO):
    r"""Models between the one without the graph and those with nothing else.

    The model of share :math:`\theta` and power p learns f = f0 + f1 + b and penalizes

    .. math:: \gamma_A \Big( \frac{\|f_0\|_K^2}{1 - \theta}
              + \frac{\tau}{\theta} \big( \|f_1\|_K^2
              + \rho f_1^\top L^p f_1 \big) \Big)

    besides b. For a kernel with unit diagonal :math:`\rho` is `ratio` times
    :math:`n / p^2`, and :math:`\tau` makes both kernels equally large on the labeled
    rows, so that the same :math:`\gamma_A` means as much regularization for each model.
    Shares other than 0 and 1 need an intercept that is not inside the graph term. For
    share 1 such an intercept has the weight 1, that of the loss: nearly constant
    functions are smooth along the graph, and another constant would let few labels
    shift all scores. `powers` have prior weights, a dict; the objective's own power is
    the only one by default.
    """
    powers = {objective.laplacian.power: 1.0} if powers is None else powers
    undeformed = objective.space.deformed(objective.laplacian, 0.0)  # K itself
    size = undeformed.mean_diagonal(objective.label_idx)
    if size <= 0:
        raise ValueError(
            "the kernel is zero on all labeled rows, so that nothing can be learned "
            "from them; look for labeled rows of zeros, or choose another kernel."
        )
    plain = replace(objective, intrinsic=0.0).reduced(undeformed)
    ratio = ratio * objective.space.n_rows / objective.space.mean_diagonal()
    intercept, graphs, bent = objective.intercept, {}, {}
    if intercept is not None and not intercept.inside:
        intercept = replace(intercept, penalty=max(1.0, intercept.penalty))
    for power in powers:  # a factorization, as large as the Gram matrix, at a time
        laplacian = objective.laplacian.iterated(power)
        deformed = objective.space.deformed(laplacian, ratio / power**2)
        tau = deformed.mean_diagonal(objective.label_idx) / size  # at most 1
        weights = {"ambient": tau * objective.ambient}
        weights["intrinsic"] = deformed.ratio * weights["ambient"]
        graphs[power] = replace(
            objective, laplacian=laplacian, intercept=intercept, **weights
        )
        bent[power] = graphs[power].reduced(deformed)
    models = [GraphModel(0.0, 0, 1.0, plain)] if 0.0 in shares else []
    for share, (power, prior) in product(shares, powers.items()):
        if share == 1:
            models.append(GraphModel(share, power, prior, bent[power]))
        elif share > 0:
            mixed = plain.mixed(bent[power], share)
            models.append(GraphModel(share, power, prior, mixed))
    # PCG solves one graph model only: that of the most probable power.
    return GraphFamily(models, graphs[max(powers, key=powers.get)], chosen=True)
