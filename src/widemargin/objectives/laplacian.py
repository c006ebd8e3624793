"""The objective of Laplacian models, Eq. (7) of Melacci and Belkin (2011)."""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np

from widemargin.defaults import GRAPH_RATIO, GRAPH_SHARES
from widemargin.linalg.products import column_dots
from widemargin.objectives.reduced import ReducedObjective


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
