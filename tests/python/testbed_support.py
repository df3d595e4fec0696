"""Helpers for the tests of the testbed."""

from __future__ import annotations

SMALL = """
[link]
rate = "1gbit"
burst = "64kb"
latency = "5ms"

[uplink]
rate = "300mbit"
burst = "32kb"
limit = "60kb"

[[racks]]
hosts = 2

[[racks]]
hosts = 1

[hosts.h2]
rate = "100mbit"
ranks = 2
"""
