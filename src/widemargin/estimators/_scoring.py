"""From one-vs-rest scores to classes and probabilities."""

import numpy as np
from sklearn.base import ClassifierMixin

from widemargin.labels import decide
from widemargin.solvers.temperature import log_probabilities


class ScoringClassifier(ClassifierMixin):
    """One-vs-rest scores, and the classes and probabilities that they mean.

    A subclass has `_scores`, `classes_` and `slope_`.
    """

    def decision_function(self, X):
        """Scores of new samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            With ``kernel="precomputed"``, kernel values against all training samples.

        Returns
        -------
        ndarray of shape (n_samples,) for two classes, positive for ``classes_[1]``,
        else (n_samples, n_classes).
        """
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X):
        """Class of each sample, as in ``classes_``."""
        codes = decide(self._scores(X))
        return self.classes_[codes]

    def predict_proba(self, X):
        """Class probabilities, shape (n_samples, n_classes).

        A softmax of the scores times ``slope_``. The most probable class is always the
        predicted one.
        """
        return np.exp(log_probabilities(self._scores(X), self.slope_))

    def predict_log_proba(self, X):
        """Logarithms of the class probabilities."""
        return log_probabilities(self._scores(X), self.slope_)

    def _keep_held_out(self, scores, is_tested, label_of):
        """Store what machines that did not see a label said of it.

        Parameters
        ----------
        scores : ndarray of shape (n_labels, n_columns)
        is_tested : ndarray of bool, shape (n_labels,)
        label_of : ndarray of shape (n_labeled,)
            Which of these labels each given one is, -1 for none.
        """
        known = np.exp(log_probabilities(scores, self.slope_))
        known[~is_tested] = np.nan
        probabilities = known[label_of]
        probabilities[label_of < 0] = np.nan
        self.held_out_proba_ = probabilities
