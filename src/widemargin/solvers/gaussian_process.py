"""Self-labeling by a Gaussian process, whose hyperparameters may be learned."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.linalg import eigh

from widemargin.defaults import PROCESS_LADDER
from widemargin.kernels import ArdRbf, Kernel, Rbf
from widemargin.linalg.rows import scaled_rows
from widemargin.objectives.gp_evidence import GpEvidence
from widemargin.solvers.driver import Interruptible
from widemargin.solvers.evidence import learn_hyperparameters
from widemargin.solvers.informative_vectors import InformativeVectors, choose_active
from widemargin.solvers.result import Status
from widemargin.solvers.self_labeling import ActiveProcess, GaussianProcess, self_label
from widemargin.spaces import GramSpace, choose_space


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
        kernel, rows = self.kernel, sample.rows
        noise = self.noise / task.last_weights
        active_idx = choose_active(
            kernel, rows, self.scale, noise, n_active, np.unique(sample.label_idx)
        )
        cross = rows.kernel_columns(kernel, active_idx)
        gram = np.ascontiguousarray(cross[active_idx])
        space = GramSpace(gram, kernel, rows.take(active_idx))
        leave_one_out = task.relabel.leave_one_out
        return ActiveProcess(
            space, active_idx, cross, self.scale, self.noise, leave_one_out
        )

    def relearn(self, sample, task, idx, codes, learning, free=True):
        """The process of largest evidence for the labels of some rows, and a status.

        A prior around this one, unless it is switched off, keeps own labels from
        confirming their mistakes. Entries of theta that are not `free` stay.
        """
        # Rows in units of the width, up to a power of two: their unit changes no bit.
        exponent = round(0.5 * np.log2(self.kernel.gamma))
        X = scaled_rows(sample.rows.take(idx).X.astype(np.float64), exponent)
        if not learning.per_feature and X.shape[1] > len(idx):
            X = distance_coordinates(X)  # each step takes time for every column
        X = X.toarray() if sparse.issparse(X) else X
        gamma = np.ldexp(self.kernel.gamma, -2 * exponent)
        n_widths = X.shape[1] if learning.per_feature else 1
        center = np.log([self.scale, *[gamma] * n_widths, self.noise])
        evidence = GpEvidence(
            X,
            task.signs(codes[idx]),
            task.last_weights[idx],
            prior=learning.prior_around(center),
        )
        start = center if evidence.prior is None else evidence.prior.center
        found = learn_hyperparameters(
            evidence,
            np.where(free, start, center),
            criterion=learning.criterion,
            free=free,
            max_iter=learning.max_iter,
        )
        scale, *_, noise = np.exp(found.solution).tolist()
        gammas = np.ldexp(np.exp(found.solution[1:-1]), 2 * exponent)
        kernel = ArdRbf(gammas) if learning.per_feature else Rbf(float(gammas[0]))
        return Process(kernel, scale, noise), found.status


def distance_coordinates(X):
    """As many coordinates as rows, with the same distances between the rows."""
    if not sparse.issparse(X):
        X = X - X.mean(axis=0)
    gram = X @ X.T
    gram = gram.toarray() if sparse.issparse(gram) else gram
    gram -= gram.mean(axis=0)
    gram -= gram.mean(axis=1, keepdims=True)
    values, vectors = eigh(gram)
    return vectors * np.sqrt(np.maximum(values, 0.0))


def evidence_rows(sample, max_rows, rng):
    """At most about `max_rows` rows, labeled ones, of all classes, before others."""
    if len(np.unique(sample.label_idx)) > max_rows:
        return np.unique(sample.thin_labels(max_rows, rng).label_idx)
    return sample.draw_rows(max_rows, rng)


def learn_from_labels(process, sample, task, learning, free, rng, progress):
    """The process of largest evidence for the given labels, before any other is known.

    An interrupt is passed on, since there is no model yet.
    """
    n_labels = len(np.unique(sample.label_idx))
    idx = evidence_rows(sample, min(n_labels, learning.max_rows), rng)
    learned, status = process.relearn(
        sample, task, idx, sample.row_codes, learning, free
    )
    if status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    _say_learned(learned, progress)
    return learned


def _say_learned(process, progress):
    if progress.verbose:
        progress.say(
            f"learned {process.kernel}, scale {process.scale:.3g}, "
            f"noise {process.noise:.3g}"
        )


def label_by_process(
    process, sample, task, landmarks, learning, n_components, rng, progress, callback
):
    """The process and the `Labeling`, alternately if hyperparameters are learned."""
    who, first = progress.who, process
    model = process.over(sample, task, landmarks, rng, who)
    found = self_label(model, task, n_components=n_components, callback=callback)
    for _ in range(learning.n_rounds):
        if found.is_interrupted:
            break
        with Interruptible() as work:
            idx = evidence_rows(sample, learning.max_rows, rng)
            learned, status = first.relearn(sample, task, idx, found.codes, learning)
            if status is Status.INTERRUPTED:
                found = found.ended(status)
                break
            _say_learned(learned, progress)
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
