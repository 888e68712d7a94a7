"""Values of options: what is wrong with one is said as it is."""

from __future__ import annotations

import argparse

import pytest

from yarnbox.yarn.text.numbers import positive


@pytest.mark.parametrize("text", ["0", "-3", "1.5", "many", "", "٣"])
def test_what_is_no_whole_number(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="is not a whole number of at least 1"):
        positive(text)


@pytest.mark.parametrize("text", ["2147483648", "9" * 6000])
def test_what_is_too_large(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=r"'?[0-9]{1,40}'? is more than 2147483647"):
        positive(text)


def test_the_largest_one() -> None:
    assert positive("2147483647") == 2**31 - 1
