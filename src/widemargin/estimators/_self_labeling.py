"""What the self-labeling estimators share, and the process of `SelfLabelingGPC`."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from widemargin.defaults import PROCESS_LADDER
from widemargin.estimators._estimator import Progress, read_parameter
from widemargin.kernels import ArdRbf, Kernel, Landmarks, Rbf
from widemargin.objectives.class_sizes import Balance
from widemargin.objectives.gp_evidence import GpEvidence, LogNormalPrior
from widemargin.solvers.driver import Interruptible
from widemargin.solvers.evidence import learn_hyperparameters
from widemargin.solvers.informative_vectors import InformativeVectors, choose_active
from widemargin.solvers.relabeling import Relabel
from widemargin.solvers.result import Status
from widemargin.solvers.self_labeling import (
    ActiveProcess,
    Annealing,
    GaussianProcess,
    LabelingTask,
    self_label,
)
from widemargin.spaces import GramSpace, choose_space

FAMILIES = {
    "kernel": Kernel,
    "landmarks": Landmarks,
    "annealing": Annealing,
    "relabel": Relabel,
    "balance": Balance,
}


def read_task(estimator, sample, relabel):
    """Which labels are to be found, from the parameters of an estimator."""
    balance = read_parameter(estimator, "balance")
    names, who = sample.classes.tolist(), type(estimator).__name__
    shares = balance.class_shares(names, sample.class_shares(), who)
    return LabelingTask.of(
        sample,
        balance.bounds(shares, sample.n_unlabeled),
        estimator.labeled_weight,
        read_parameter(estimator, "annealing"),
        relabel,
    )


def report_rounds(estimator):
    """A callback that prints a line for each round, or None."""
    progress = Progress.of(estimator)
    if not progress.verbose:
        return None

    def report(n_iter, history):
        weight, start = history["unlabeled_weight"][-1], history["start_number"][-1]
        progress.say(
            f"weight of an unlabeled row {weight:g}, start {start}, round {n_iter}: "
            f"{history['objective'][-1]:.0f} labels changed"
        )

    return report


@dataclass(frozen=True)
class Process:
    """A kernel, its scale, and the noise of a row of weight one."""

    kernel: Kernel
    scale: float
    noise: float

    def over(self, sample, task, landmarks, rng, who):
        """The process over the rows of a sample, exact or sparse."""
        if isinstance(landmarks, InformativeVectors):
            return self._over_active(sample, task, landmarks.n_landmarks)
        space = choose_space(
            self.kernel, sample.rows, landmarks, rng, ladder=PROCESS_LADDER, who=who
        )
        leave_one_out = task.relabel.leave_one_out
        return GaussianProcess(space, self.scale, self.noise, leave_one_out)

    def _over_active(self, sample, task, n_active):
        """The informative vector machine."""
        if n_active < sample.n_classes:
            raise ValueError(
                f"n_landmarks of InformativeVectors must be at least the number of "
                f"classes, {sample.n_classes}, because only labels of landmarks are "
                f"used, got {n_active}."
            )
        kernel, rows = self.kernel, sample.rows
        noise = self.noise / task.last_weights
        active_idx = choose_active(
            kernel, rows, self.scale, noise, n_active, np.unique(sample.label_idx)
        )
        cross = rows.columns(kernel, active_idx)
        gram = np.ascontiguousarray(cross[active_idx])
        space = GramSpace(gram, kernel, rows.take(active_idx))
        leave_one_out = task.relabel.leave_one_out
        return ActiveProcess(
            space, active_idx, cross, self.scale, self.noise, leave_one_out
        )

    def relearn(self, sample, task, codes, learning, rng):
        """The process of largest evidence for these labels, and the solver's status.

        A prior around this one keeps own labels from confirming their mistakes.
        """
        idx = evidence_rows(sample, learning.max_rows, rng)
        X = sample.rows.take(idx).X
        X = X.toarray() if sparse.issparse(X) else X
        n_widths = X.shape[1] if learning.per_feature else 1
        center = np.log([self.scale, *[self.kernel.gamma] * n_widths, self.noise])
        evidence = GpEvidence(
            X.astype(np.float64, copy=False),
            task.signs(codes[idx]),
            task.last_weights[idx],
            prior=LogNormalPrior(center),
        )
        found = learn_hyperparameters(
            evidence, center, criterion=learning.criterion, max_iter=learning.max_iter
        )
        values = np.exp(found.solution)
        kernel = ArdRbf(values[1:-1]) if learning.per_feature else Rbf(float(values[1]))
        return Process(kernel, float(values[0]), float(values[-1])), found.status


def evidence_rows(sample, max_rows, rng):
    """At most `max_rows` rows, labeled ones before others."""
    labeled_idx, room = np.unique(sample.label_idx), max_rows
    if len(labeled_idx) > room:
        return np.sort(rng.choice(labeled_idx, room, replace=False))
    return sample.draw_rows(room, rng)


def label_by_process(
    process, sample, task, landmarks, learning, n_components, rng, progress, callback
):
    """The process and the `Labeling`, in turns if hyperparameters are learned."""
    who, first = progress.who, process
    model = process.over(sample, task, landmarks, rng, who)
    found = self_label(model, task, n_components=n_components, callback=callback)
    for _ in range(learning.n_rounds if learning.criterion is not None else 0):
        if found.is_interrupted:
            break
        with Interruptible() as work:
            learned, status = first.relearn(sample, task, found.codes, learning, rng)
            if status is Status.INTERRUPTED:
                found = found.ended(status)
                break
            if progress.verbose:
                progress.say(
                    f"learned {learned.kernel}, scale {learned.scale:.3g}, "
                    f"noise {learned.noise:.3g}"
                )
            model = learned.over(sample, task, landmarks, rng, who)
            again = self_label(model, task, start=found.codes, callback=callback)
        if work.was_interrupted:
            found = found.ended(Status.INTERRUPTED)
            break
        n_changed = np.count_nonzero(again.codes != found.codes)
        process, found = learned, again.ended(status)
        if n_changed <= task.relabel.tol * len(found.codes):
            break
    return process, found
