"""The (1 + 1) evolution that flips each label with probability 1/n, independently.

Algorithm 1 of Gieseke et al. (2012), which their own experiments replace by the flip of
a single label. A generation flips one label on average, and none in a third of the
cases.
"""

from dataclasses import dataclass

import numpy as np

from widemargin.labelling import Search
from widemargin.labelling.problem import LabelState

_GENERATIONS = 4096  # drawn at once


@dataclass(frozen=True)
class IndependentFlips(Search):
    """Keep a mutated labeling of two classes if it is valid and better.

    The search ends after n generations without a change, as those of the paper's
    experiments.
    """

    def improve(self, problem, codes, seed=0, goes_on=lambda: True):
        """Mutate `codes`; see `Search`."""
        from widemargin_bench.independent_flips_loops import mutate

        if problem.n_classes != 2:
            raise ValueError(
                f"IndependentFlips needs two classes, got {problem.n_classes}."
            )
        state, rng = LabelState.of(problem, codes), np.random.default_rng(seed)
        tol, progress = state.tol, np.zeros(2, dtype=np.int64)
        while progress[0] < problem.n_samples and len(problem.order):
            generation, place = draw_flips(rng, len(problem.order), _GENERATIONS)
            bounds = np.searchsorted(generation, np.arange(_GENERATIONS + 1))
            mutate(state, problem.order[place], bounds, tol, progress)
            if not goes_on():
                break
        return state.codes, int(progress[1])


def draw_flips(rng, n, n_generations):
    """Generations and places of flips, each of n places with probability 1/n.

    The distance between two flips in the row of all places of all generations is
    geometric.
    """
    total, found = n * n_generations, [np.empty(0, dtype=np.int64)]
    last = -1
    while last < total:
        gaps = rng.geometric(1.0 / n, size=2 * n_generations)
        found.append(last + np.cumsum(gaps))
        last = int(found[-1][-1])
    flips = np.concatenate(found)
    return np.divmod(flips[flips < total], n)
