"""Facts about ops that several folders ask: poison conditions, nonzero divisors, effects."""
