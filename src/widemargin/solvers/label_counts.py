"""For how many labels each one counts when machines are weighed by them."""


def count_labels(weights):
    r"""Weights as numbers of labels.

    In proportion to the weights :math:`w`, whatever their scale, and together as many
    as :math:`(\sum_i w_i)^2 / \sum_i w_i^2`, Kish's effective size of a sample: one
    each if all weigh the same, and two in all if two outweigh the rest by far.

    Parameters
    ----------
    weights : ndarray of shape (n_labels,)
        Positive.

    Returns
    -------
    ndarray of shape (n_labels,)
    """
    return weights * (weights.sum() / (weights @ weights))
