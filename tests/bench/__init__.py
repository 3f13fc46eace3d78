"""Benchmarks: figures that depend on the machine, stated as ratios where they can be; never part of the tests."""
