"""The decision on one pair of functions: proved, refuted, or unknown and why."""
