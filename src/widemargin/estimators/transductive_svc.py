"""Transductive support vector classifier."""

from dataclasses import dataclass

from widemargin.checks import check_choice
from widemargin.estimators._estimator import Method, read_parameter
from widemargin.estimators._hinge import HingeClassifier, WeightPath, make_task
from widemargin.objectives.pieces import SymmetricHinge


@dataclass(kw_only=True, eq=False, repr=False)
class TransductiveSVC(HingeClassifier):
    r"""Transductive support vector classifier (S3VM).

    Learns from labeled and unlabeled rows: a support vector machine that also keeps
    unlabeled rows away from its decision boundary, on whichever side. It suits clean
    unlabeled data in which classes are clusters, especially with many features; see
    `TriClassSVC` if some unlabeled rows may belong to no class.

    Parameters
    ----------
    C : float, default=10.0
        Cost of a labeled sample of mean weight, as in scikit-learn's SVC.
    unlabeled_weight : float or "auto", default="auto"
        Total cost of the unlabeled samples relative to that of the labeled ones; 0
        ignores them. "auto" averages several, see Notes.
    balance : "labeled", "equal", dict, Balance or None, default="labeled"
        Share of each class among the unlabeled rows: estimated from the labels, the
        same for all, or your own as ``{class: fraction}``. None does not constrain it,
        and then all unlabeled rows may end up in one class. See Notes.
    multi_class : {"ovr", "joint"}, default="ovr"
        With more than two classes, whether the one-vs-rest problems are independent, or
        assign unlabeled rows together, so that each is in one class.
    n_annealing : int, default=3
        Number of steps in which a given `unlabeled_weight` is reached. Each weight is
        about three times the one before, and each model starts from the last. One step
        ends in the local minimum nearest to the model of the labels alone.
    solver : HingeSolver or {"auto", "smo", "newton"}, default="auto"
        `Smo` works on the Gram matrix; `ProximalNewton` on the weights of a linear
        kernel, whose rows may be sparse, or of landmarks. Their tolerance is a
        parameter: ``Smo(tol=1e-4)``. "auto" is the latter for these (for a linear
        kernel if there are fewer features than rows, or sparse ones).
    landmarks : Nystrom, int, "auto" or None, default="auto"
        As in `LaplacianSVC`; "auto" is None up to 10,000 rows and 1,000 for more, and
        always None for `Smo` and for a linear kernel of few or sparse features. The
        rows of a Gram matrix of more than 2 GiB are computed when they are needed.
    max_iter : int, default=50
        Largest number of convex problems for each weight of the unlabeled rows.
    kernel, random_state, verbose
        As in `LaplacianSVC`.

    Attributes
    ----------
    unlabeled_weights_ : tuple of float or None
        Weight of the unlabeled rows in each model of ``average_``; the first is 0.
    classes_, function_, calibration_, transduction_, held_out_proba_, average_
    result_, n_iter_
        See :class:`~widemargin.estimators.Classifier`.

    Notes
    -----
    For two classes, over functions :math:`f = h + b`, Eq. (4) of [1]_ with the
    symmetric hinge on unlabeled samples,

    .. math:: \tfrac12 \|h\|^2 + C \sum_{i \in L} \max(0, 1 - y_i f_i)
              + C_u \sum_{i \in U} \max(0, 1 - |f_i|) ,

    where :math:`C_u = C\, l / u` times `unlabeled_weight`.

    *Balance*: the mean score of the unlabeled samples is :math:`2 p - 1` for a class of
    share p, Eq. (25), see :doc:`/guide/transductive`. Shares from the labels include
    one additional label per class, and are shrunk towards equal shares to the extent
    that chance explains their differences. With ``multi_class="joint"`` there are
    bounds instead: a step, and ``transduction_`` in the end, puts each unlabeled sample
    into the class of the largest score plus an offset of the class, which keeps all
    sizes within a factor of 1.5 of their shares, or within the tolerance of a `Balance`
    value.

    "auto" averages models of the weights 0, 0.1, 0.3 and 1, scored on five folds of the
    labels and at least 1,000 rows if there are more. Otherwise held-out labels only fit
    the slope of the probabilities.

    Deviations from [1]_: balance; more than two classes; annealing by the path of
    weights. Copies of a labeled row with the same label are one row with their summed
    weight.

    References
    ----------
    .. [1] H. Yang, K. Huang, I. King, M. R. Lyu. Maximum margin semi-supervised
       learning with irrelevant data. Neural Networks 70, 2015.
    .. [2] R. Collobert, F. Sinz, J. Weston, L. Bottou. Large scale transductive SVMs.
       Journal of Machine Learning Research 7, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from widemargin import TransductiveSVC
    >>> from widemargin.datasets import hide_labels
    >>> X, y = load_digits(return_X_y=True)
    >>> X, y = X[:300], y[:300]
    >>> y_partial = hide_labels(y, 50, rng=0)  # -1 for all but 50 rows
    >>> model = TransductiveSVC(random_state=0).fit(X, y_partial)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    balance: object = "labeled"
    multi_class: str = "ovr"
    n_annealing: int = 3

    methods = (
        Method("transductive", "boundary in a low-density region; for many features"),
        Method(
            "svm",
            "labeled rows only, by a support vector classifier",
            needs_unlabeled=False,
            parameters=(("unlabeled_weight", 0.0),),
        ),
    )

    def _make_task(self):
        check_choice(self, "multi_class", ("ovr", "joint"))
        return make_task(
            self,
            WeightPath(SymmetricHinge()),
            balance=read_parameter(self, "balance"),
            is_joint=self.multi_class == "joint",
        )
