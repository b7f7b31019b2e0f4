"""Proof obligations beside equal values: bounds, races, lifetimes, index arithmetic that does not wrap."""
