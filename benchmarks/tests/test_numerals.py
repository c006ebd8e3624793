import pytest

from widemargin_bench.numerals import show, show_difference, show_range


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (8.25, 1, "8.2"),
        (-0.31, 1, "−0.3"),
        (-0.04, 1, "0.0"),
        (1234.567, 3, "1235"),
        (12.3456, 3, "12.35"),
        (0.0, 2, "0.00"),
        (None, 1, "–"),
    ],
)
def test_numbers_are_shown(value, digits, shown):
    assert show(value, digits) == shown


def test_spread_has_the_decimals_of_its_mean():
    assert show(4.4841, 3, beside=38.49) == "4.48"


def test_differences_carry_a_sign_unless_they_vanish():
    assert [show_difference(v, 1) for v in (0.5, -0.5, 0.01)] == ["+0.5", "−0.5", "0.0"]


def test_range_of_one_number_is_that_number():
    assert [show_range(3, 3), show_range(1, 3)] == ["3", "1 to 3"]
