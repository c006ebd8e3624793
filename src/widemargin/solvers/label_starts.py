"""The repair of class sizes under its old name, until all solvers use the new one."""

from widemargin.objectives.class_sizes import repair_sizes


def mend(problem, codes, liking):
    """See :func:`widemargin.objectives.class_sizes.repair_sizes`."""
    return repair_sizes(codes, liking, problem.movable, problem.lower, problem.upper)
