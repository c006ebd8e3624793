"""What the estimators that search for labels share."""

from joblib import effective_n_jobs
from scipy import sparse

from widemargin.estimators._checks import check_choice, check_number
from widemargin.estimators._kernel_machine import KernelMachine
from widemargin.estimators._memory import check_gram_memory
from widemargin.kernels import (
    FullBasis,
    Linear,
    NystromMap,
    WeightBasis,
    choose_landmarks,
)
from widemargin.smoothers import FeatureSpace, KernelSpace
from widemargin.solvers.label_search import search_labels
from widemargin.solvers.label_strategies import (
    Evolution,
    Reshaking,
    Shaking,
    Steepest,
    Stochastic,
    Tabu,
)

SEARCHES = ("auto", "tabu", "evolution", "shaking", "steepest", "stochastic")


class LabelSearcher(KernelMachine):
    """A kernel machine with the squared loss whose labels are searched."""

    _auto_landmarks = 10_000, 1000  # with more rows than that, so many landmarks

    def _check_search(self):
        """Parameters of the search, the kernel and the graph."""
        self._check_kernel()
        self._check_graph()
        if isinstance(self.n_landmarks, str):
            check_choice(self, "n_landmarks", ("auto",), "or a number >= 1 or None")
        if self.n_jobs is not None:
            check_number(self, "n_jobs", integer=True)
            if self.n_jobs == 0:
                raise ValueError(
                    f"n_jobs of {type(self).__name__} must be None, a number of "
                    "threads, or -1 for all processors, got 0."
                )
        check_choice(self, "search", SEARCHES)
        for name in ("n_restarts", "population", "offspring"):
            check_number(self, name, low=1, integer=True)
        check_number(self, "n_reshakes", low=0, integer=True)
        if isinstance(self.balance_tolerance, str):
            check_choice(self, "balance_tolerance", ("auto",), "or a number >= 0")
        else:
            check_number(self, "balance_tolerance", low=0)

    def _make_space(self, kernel, X, rng):
        """The functions to choose from, and the kernel functions that span them."""
        n_samples, n_features = X.shape
        n_landmarks = self.n_landmarks
        if n_landmarks == "auto":
            exact_rows, auto_landmarks = self._auto_landmarks
            n_landmarks = auto_landmarks if n_samples > exact_rows else None
        is_narrow = n_features < n_samples and not sparse.issparse(X)
        if isinstance(kernel, Linear) and is_narrow and n_landmarks is None:
            return FeatureSpace(X), WeightBasis()
        if n_landmarks is None:
            check_gram_memory(n_samples, 8, type(self).__name__)
            return KernelSpace(kernel(X)), FullBasis(n_samples)
        rows = choose_landmarks(kernel, X, n_landmarks, rng, self.landmarks)
        nystrom = NystromMap.fit(kernel, X, rows)
        return FeatureSpace(nystrom(X)), nystrom

    def _with_graph(self, space, kernel, X):
        """The space with the smoothness along the nearest neighbors in its penalty."""
        if self.intrinsic_reg == 0:
            return space
        low_rank = isinstance(space, FeatureSpace)
        laplacian = self._laplacian(kernel, X, low_rank=low_rank)
        return space.with_graph(laplacian, self.intrinsic_reg)

    def _strategy(self, name, n_classes):
        """The strategy of that name, with the parameters of this estimator."""
        if name == "shaking":
            shaking = Shaking(size_floor=self.size_floor)
            n_together = min(3, n_classes - 1)
            if not self.n_reshakes or n_together < 2:
                return shaking
            return Reshaking(shaking, self.n_reshakes, n_together)
        return {
            "tabu": Tabu(),
            "evolution": Evolution(self.population, self.offspring),
            "steepest": Steepest(),
            "stochastic": Stochastic(),
        }[name]

    def _run(self, problem, strategy, starts, seeds, *, is_quiet=False):
        """All searches, side by side if asked."""
        return search_labels(
            problem,
            strategy,
            starts,
            seeds,
            n_threads=effective_n_jobs(self.n_jobs),
            callback=None if is_quiet else self._report_searches(len(starts)),
        )

    def _report_searches(self, n_searches):
        """A callback that prints a line for each search, or None."""
        if not self.verbose:
            return None

        def report(n_done, history):
            speed = history["moves"][-1] / max(history["seconds"][-1], 1e-9)
            self._say(
                f"search {n_done} of {n_searches}: objective "
                f"{history['found'][-1]:.6g}, best {history['objective'][-1]:.6g}, "
                f"{speed:,.0f} moves per second"
            )

        return report

    def _store_function(self, kernel, basis, space, given, origin, coordinates):
        """What prediction needs."""
        function = space.unfold(coordinates)
        self._keep_function(kernel, basis, given, origin, function)
