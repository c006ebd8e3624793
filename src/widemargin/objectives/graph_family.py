"""The same labels, kernel and graph with different trust in the graph."""

from dataclasses import dataclass, replace

from widemargin.objectives.laplacian import ManifoldObjective
from widemargin.objectives.reduced import ReducedObjective

SHARES = (0.0, 0.75, 1.0)
_RATIO = 2.0  # weight of the graph relative to the ambient norm, for each sample


@dataclass(frozen=True)
class GraphFamily:
    """Machines in order of the share of the graph in their kernel.

    Attributes
    ----------
    shares : tuple of float
        From 0 (the graph is not used) to 1 (nothing but the kernel bent by it).
    problems : list of ReducedObjective
        One for each share.
    graph : ManifoldObjective
        The machine of share 1 (or the given one), with its weights.
    chosen : bool
        Whether the weights were chosen for these samples, and not given.
    """

    shares: tuple[float, ...]
    problems: list[ReducedObjective]
    graph: ManifoldObjective
    chosen: bool

    def graph_objective(self, objective):
        """The machine of share 1 on more samples than the family was built from.

        Given weights stay. Of chosen ones that of the graph term stays; that of the
        ambient norm is as one over the number of samples, like the kernel's diagonal
        once the graph has bent it.
        """
        fewer = 1.0
        if self.chosen:
            fewer = self.graph.expansion.n_samples / objective.expansion.n_samples
        return replace(
            objective,
            ambient=self.graph.ambient * fewer,
            intrinsic=self.graph.intrinsic,
        )


def given_graph(objective, problem=None):
    """A family of one: the objective with the weights that it has."""
    share = 1.0 if objective.intrinsic > 0 else 0.0
    problems = [problem or objective.reduced()]
    return GraphFamily((share,), problems, objective, chosen=False)


def share_graph(objective, shares=SHARES):
    r"""Machines between the one without the graph and the one with nothing else.

    The machine of share :math:`\theta` learns f = f0 + f1 + b and penalizes

    .. math:: \gamma_A \Big( \frac{\|f_0\|_K^2}{1 - \theta}
              + \frac{\tau}{\theta} \big( \|f_1\|_K^2
              + \rho f_1^\top L f_1 \big) \Big)

    besides b. The ratio is :math:`\rho = 2 n` for a kernel with unit diagonal, and
    :math:`\tau` makes both kernels equally large on the labeled samples, so that the
    same :math:`\gamma_A` means as much regularization for each share. One
    factorization serves them all.

    Parameters
    ----------
    objective : ManifoldObjective
        The machine without the graph; its `intrinsic` weight is not looked at.
    shares : tuple of float
        The shares, 0 and 1 among them. Others need an intercept that is the same with
        and without the graph, that is, not one inside the graph term.

    Returns
    -------
    GraphFamily
    """
    plain = replace(objective, intrinsic=0.0).reduced()
    expansion = objective.expansion
    ratio = _RATIO * expansion.n_samples / expansion.mean_diagonal()
    deformed = expansion.deformed(objective.laplacian, ratio)
    undeformed = expansion.deformed(objective.laplacian, 0.0)
    size = undeformed.mean_diagonal(objective.rows)
    if size <= 0:
        raise ValueError(
            "the kernel is zero on all labeled samples, so that nothing can be learned "
            "from them; look for labeled rows of zeros, or choose another kernel."
        )
    tau = deformed.mean_diagonal(objective.rows) / size
    ambient = tau * objective.ambient
    graph = replace(objective, ambient=ambient, intrinsic=ratio * ambient)
    ends = {0.0: plain, 1.0: graph.reduced(deformed)}
    problems = [ends.get(share) or plain.mixed(ends[1.0], share) for share in shares]
    return GraphFamily(tuple(shares), problems, graph, chosen=True)
