"""What every estimator does with a solver's result."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from widemargin.solvers.result import Status


class SolvedMixin:
    """Keeps a `SolveResult` as ``result_`` and speaks for it."""

    def _store(self, result):
        """Set ``result_`` and ``n_iter_``; warn once if the solver did not succeed.

        An interrupt goes on from here: the model is usable, but a loop around it ends.
        """
        self.result_ = result
        self.n_iter_ = max(1, result.n_iter)
        if result.status.is_success:
            return
        criterion = result.history.get("criterion") or [np.nan]
        plural = "" if result.n_iter == 1 else "s"
        warnings.warn(
            f"{type(self).__name__} after {result.n_iter} iteration{plural}: "
            f"{result.status.value} (criterion {max(criterion[-1:]):.1e}).",
            ConvergenceWarning,
            stacklevel=3,
        )
        if result.status is Status.INTERRUPTED:
            raise KeyboardInterrupt

    def _say(self, message):
        """Print a line of progress if the user asked for it."""
        if self.verbose:
            print(f"{type(self).__name__}: {message}", flush=True)

    def _progress(self, every):
        """A solver's callback that prints every so many iterations, or None."""
        if not self.verbose:
            return None

        def report(iteration, history):
            if iteration % every == 0:
                line = (
                    f"iteration {iteration}: objective {history['objective'][-1]:.6g}"
                )
                criterion = history["criterion"][-1]
                changes = history.get("decision_change")
                if changes:
                    line += f", {100 * changes[-1]:.2f} % of decisions changed"
                self._say(f"{line}, criterion {criterion:.1e}")

        return report
