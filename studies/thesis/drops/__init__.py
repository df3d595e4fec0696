"""Euler3D on a network that drops packets: measurements that a method must not take for outliers."""
