"""What the self-labeling estimators share."""

from widemargin.estimators._estimator import read_parameter
from widemargin.kernels import Kernel, Landmarks
from widemargin.objectives.class_sizes import Balance
from widemargin.solvers.relabeling import Relabel
from widemargin.solvers.self_labeling import Annealing, LabelingTask

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
