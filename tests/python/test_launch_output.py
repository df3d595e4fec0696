"""The beginning and the end of long output are kept."""

from __future__ import annotations

import random

import pytest

from adcl.jobs._output import KeptOutput


def test_short_output_is_kept_whole() -> None:
    kept = KeptOutput(10)
    for part in (b"abc", b"", b"defg", b"hij"):
        kept.add(part)
    assert (kept.text(), kept.left_out) == ("abcdefghij", 0)


def test_middle_of_long_output_is_omitted() -> None:
    kept = KeptOutput(7)
    for part in (b"abcdef", b"ghi", b"jklmnop"):
        kept.add(part)
    assert (kept.text(), kept.left_out) == ("abcd\n[… 9 bytes omitted …]\nnop", 9)


def test_zero_limit_keeps_no_output() -> None:
    kept = KeptOutput(0)
    kept.add(b"abc")
    assert (kept.text(), kept.left_out) == ("", 3)


def test_broken_characters_are_replaced() -> None:
    kept = KeptOutput(10)
    kept.add(b"a\xffb")
    assert kept.text() == "a\ufffdb"


@pytest.mark.parametrize("seed", range(50))
def test_any_pieces_give_head_and_tail(seed: int) -> None:
    chance = random.Random(seed)
    data = bytes(chance.choices(range(97, 123), k=chance.randrange(200)))
    limit = chance.randrange(1, 120)
    kept = KeptOutput(limit)
    rest = data
    while rest:
        size = chance.randrange(1, 40)
        kept.add(rest[:size])
        rest = rest[size:]
    if len(data) <= limit:
        assert kept.text().encode() == data, f"seed {seed}"
    else:
        head, tail = data[: limit - limit // 2], data[len(data) - limit // 2 :]
        assert kept.left_out == len(data) - limit, f"seed {seed}"
        assert kept.text().encode().startswith(head + b"\n"), f"seed {seed}"
        assert kept.text().encode().endswith(b"\n" + tail), f"seed {seed}"
