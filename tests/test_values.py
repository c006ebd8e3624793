from dataclasses import FrozenInstanceError, dataclass

import pytest
from sklearn.base import clone
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel

from widemargin.checks import check_number
from widemargin.estimators._estimator import Estimator
from widemargin.kernels import Custom, Kernel, Polynomial, Rbf
from widemargin.model_files.parts import known_classes
from widemargin.values import Value


class Shape(Value):
    """A family."""


@dataclass(frozen=True)
class Circle(Shape, shorthand="circle"):
    radius: float = 1.0

    def __post_init__(self):
        check_number(self, "radius", low=0, strict=True)


@dataclass(frozen=True)
class Square(Shape, shorthand="square"):
    side: float = 1.0


class Drawer(Estimator):
    value_families = {"shape": Shape, "kernel": Kernel}

    def __init__(self, shape="circle", kernel="rbf", size=1):
        self.shape = shape
        self.kernel = kernel
        self.size = size


def test_families_do_not_share_shorthands():
    assert Shape.shorthands() == ("circle", "square")
    assert "circle" not in Kernel.shorthands()


def test_shorthand_is_the_value_with_default_fields():
    assert Shape.read("square", "shape of Drawer") == Square()
    circle = Circle(2.0)
    assert Shape.read(circle, "shape of Drawer") is circle


@pytest.mark.parametrize("given", ["triangle", None, 3, Rbf(1.0)])
def test_other_parameters_are_refused_by_value(given):
    with pytest.raises(ValueError, match="shape of Drawer must be one of 'circle', "):
        Shape.read(given, "shape of Drawer")


def test_fields_are_checked_when_they_are_given():
    with pytest.raises(ValueError, match="radius of Circle must be a number > 0"):
        Circle(-1.0)


def test_values_do_not_change():
    with pytest.raises(FrozenInstanceError):
        Circle().radius = 2.0


def test_parameter_of_a_value_can_be_set():
    first = Circle()
    drawer = Drawer(shape=first)
    assert drawer.set_params(shape__radius=3.0).shape == Circle(3.0)
    assert first == Circle()  # replaced, not changed


def test_parameter_of_a_shorthand_can_be_set():
    drawer = Drawer(kernel="poly").set_params(kernel__degree=2, size=5)
    assert drawer.kernel == Polynomial(degree=2)
    assert drawer.size == 5


def test_value_and_its_parameter_can_be_set_together():
    drawer = Drawer().set_params(shape__side=2.0, shape="square")
    assert drawer.shape == Square(2.0)


def test_unknown_parameter_of_a_value_is_refused():
    with pytest.raises(ValueError, match="Circle has no parameter 'side'; it has radi"):
        Drawer().set_params(shape__side=1.0)


def test_a_function_as_kernel_has_no_width():
    drawer = Drawer(kernel=linear_kernel)
    with pytest.raises(ValueError, match="Custom has no parameter 'gamma'; it has fun"):
        drawer.set_params(kernel__gamma=1.0)
    drawer.set_params(kernel__function=rbf_kernel)
    assert drawer.kernel == Custom(rbf_kernel)


def test_deep_parameters_include_those_of_values():
    params = Drawer(shape=Circle(2.0)).get_params()
    assert params["shape__radius"] == 2.0
    assert "shape__radius" not in Drawer(shape=Circle(2.0)).get_params(deep=False)


def test_clone_keeps_values():
    drawer = Drawer(shape=Circle(2.0), kernel=Rbf("median"))
    assert clone(drawer).get_params() == drawer.get_params()


def test_repr_shows_values_as_they_are_typed():
    assert repr(Drawer(shape=Circle(2.0))) == "Drawer(shape=Circle(radius=2.0))"


def test_all_members_are_registered():
    members = {writing.cls for writing in known_classes().values()}
    assert {Circle, Square, Rbf, Polynomial} <= members
    assert Shape not in members
