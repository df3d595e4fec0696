"""Euler3D on a network that drops packets: measurements that a method must not treat as outliers."""
