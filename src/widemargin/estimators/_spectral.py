"""What models over spectra that are computed once for all rows have in common."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from widemargin.checks import check_number, refuse
from widemargin.estimators._estimator import (
    Classifier,
    Fit,
    check_length,
    check_sample_weight,
    fit_sample,
    read_graph_sample,
    read_parameters,
    read_random_labels,
    store_fit,
)
from widemargin.estimators.interaction import Suspects
from widemargin.graphs import Graph
from widemargin.kernels import Kernel
from widemargin.labels import decide
from widemargin.linalg.products import suited_threads
from widemargin.linalg.random import as_generator
from widemargin.sample import collect_sample
from widemargin.solvers.active_learning import rank_suspects
from widemargin.solvers.closed_form import SpectralGeometry
from widemargin.spaces.bases import list_covariances, make_bases

FAMILIES = ("labels", "graph", "spectrum")


@dataclass(kw_only=True, eq=False, repr=False)
class SpectralModel(Classifier):
    """Base of models that learn from labels what they need besides the geometry.

    A subclass writes ``_fit_labels(sample)``, which returns a `Fit`.
    """

    kernel: object = "rbf"
    graph: object = "knn"
    families: object = FAMILIES
    n_components: int = 200
    random_state: object = None

    value_families = {"kernel": Kernel, "graph": Graph}
    saved_state = (*Classifier.saved_state, "names_")
    training_state = ("geometry_",)
    merge = "all"  # copies of a row would be each other's nearest neighbors
    averaged = "names_"
    used_families = ()  # whose bases are made in any case

    def _fit_sample(self, sample, rng):
        self._make_geometry(sample, rng)
        return self._fit_labels(sample)

    def _fit_start(self, sample):
        """The average of the closed-form models of the labels."""
        learned = self.geometry_.learn(sample)
        self.names_ = learned.names
        self.label_distributions_ = sample.spread_rows(learned.probabilities)
        return Fit(
            learned.function,
            learned.calibration,
            None,
            decide(learned.scores),
            learned.labeled.spread_to_given(learned.average.held_out),
            learned.average,
        )

    def _make_geometry(self, sample, rng):
        """Compute the bases, or take those of another model of the same rows."""
        kernel, graph = read_parameters(self, "kernel", "graph")
        families, seed = self._read_families(kernel), int(rng.integers(2**63))
        used = tuple(sorted({*families, *self.used_families}))
        is_shared = sample.rows.shared is not None and sample.adjacency is None
        shared = sample.rows.shared if is_shared else {}
        key = kernel, graph, used, self.n_components, seed
        if key not in shared:
            options = used, self.n_components, as_generator(seed)
            with suited_threads(0):  # threads gain little on tall and narrow matrices
                shared[key] = make_bases(
                    kernel, graph, sample.rows, *options, adjacency=sample.adjacency
                )
        covariances = tuple(list_covariances(shared[key], families))
        self.geometry_ = SpectralGeometry(sample, shared[key], covariances, seed)

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        random_labels: ArrayLike | None = None,
        adjacency: Any = None,
    ) -> Self:
        """Fit on labeled and unlabeled rows.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`Classifier.fit <widemargin.estimators.Classifier.fit>`.
        random_labels : array-like of bool, shape (n_samples,), optional
            True for labeled rows that were drawn at random. By default all labels count
            as random; only then do the label counts indicate the class sizes.
        adjacency : sparse matrix of shape (n_samples, n_samples), optional
            Your own graph, symmetric with weights >= 0, in place of the
            nearest-neighbor graph; new rows still get means over their nearest rows.

        Returns
        -------
        self
        """
        sample = read_graph_sample(self, X, y, sample_weight, adjacency)
        return fit_sample(self, self._mark_drawn(sample, random_labels))

    def update(
        self,
        y: Any,
        sample_weight: ArrayLike | None = None,
        random_labels: ArrayLike | None = None,
    ) -> Self:
        """Update the model with new labels for the rows of the last `fit`, quickly.

        Labels may be added, changed or removed, and may belong to new classes. The
        result equals that of a new fit if `random_state` is a number and X has not
        changed since; eigenvectors and parameters are those of the last fit.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            All labels, as in `fit`.
        sample_weight : array-like of shape (n_samples,), optional
            As in `fit`; weights of the last fit are not kept. If other rows than before
            have the weight zero, eigenvectors are computed again.
        random_labels : array-like of bool, shape (n_samples,), optional
            As in `fit`; those of the last fit are not kept.

        Returns
        -------
        self
        """
        before = self._read_geometry("update").sample
        check_length(self, y, len(before.given))
        weights = check_sample_weight(self, sample_weight, len(before.given))
        if np.array_equal(weights > 0, before.given_row_idx >= 0):
            sample = before.relabeled(y, weights)
            sample = self._mark_drawn(sample, random_labels)
            fitted = self._fit_labels(sample)
            self.geometry_ = replace(self.geometry_, sample=sample)
            return store_fit(self, sample, fitted)
        if before.adjacency is not None:
            raise ValueError(
                f"update of {type(self).__name__} with your own graph needs the weight "
                "zero for the same rows as before; call fit(X, y, sample_weight, "
                "adjacency=...)."
            )
        sample = collect_sample(before.given, y, weights, merge=self.merge).sorted()
        return fit_sample(self, self._mark_drawn(sample, random_labels))

    def _mark_drawn(self, sample, random_labels):
        """The sample with the mark whether all labels are those of random rows."""
        mask = read_random_labels(self, random_labels, len(sample.given))
        is_drawn = bool(mask[sample.given_codes >= 0].all())
        return replace(sample, is_drawn=is_drawn)

    def suspect_labels(self) -> Suspects:
        """Given labels that models without them contradict.

        Returns
        -------
        Suspects
            Positions in X, the least probable label first, its probability, and the
            class that is the most probable.
        """
        sample = self._read_geometry("suspect_labels").sample
        rows = np.flatnonzero(sample.given_codes >= 0)
        found = rank_suspects(self.held_out_proba_, sample.given_codes[rows])
        suspects, probabilities, best = found
        return Suspects(rows[suspects], probabilities, self.classes_[best])

    def _read_geometry(self, who):
        """The geometry of a fitted model; a message if it was read from a file."""
        check_is_fitted(self)
        if not hasattr(self, "geometry_"):
            raise ValueError(
                f"{who} of {type(self).__name__} needs the eigenvectors of the "
                "training rows, which model files do not contain; call fit(X, y) "
                "first."
            )
        return self.geometry_

    def _read_families(self, kernel):
        """The families of the parameter, checked."""
        if kernel.pairwise:
            refuse(self, "kernel", "one of rows; LaplacianSVC takes a kernel matrix")
        check_number(self, "n_components", low=1, integer=True)
        names = [str(name) for name in np.atleast_1d(self.families)]
        if not names or not set(names) <= set(FAMILIES):
            refuse(self, "families", f"some of {', '.join(FAMILIES)}")
        return names
