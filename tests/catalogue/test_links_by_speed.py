"""Networks by the words people use for them."""

from __future__ import annotations

import pytest

from configurator.catalogue import UnknownNameError, find_link, load_catalogue

CATALOGUE = load_catalogue()


@pytest.mark.parametrize(
    ("text", "link_id"),
    [
        ("100gbe", "eth-100g-tcp"),
        ("100 GbE", "eth-100g-tcp"),
        ("25gbe", "eth-25g"),
        ("10 Gbit/s", "eth-10g"),
        ("2.5GbE", "eth-2g5"),
        ("100G RoCE", "eth-100g-roce"),
        ("200G RoCE", "eth-200g-roce"),
        ("200gbe", "eth-200g-roce"),
        ("NDR", "ib-ndr"),
        ("400G InfiniBand", "ib-ndr"),
        ("200g-ib", "ib-hdr"),
        ("eth-25g-roce", "eth-25g-roce"),
    ],
)
def test_a_speed_names_a_network(text: str, link_id: str) -> None:
    assert find_link(CATALOGUE, text).id == link_id


def test_nonsense_still_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError):
        find_link(CATALOGUE, "carrier pigeon")
