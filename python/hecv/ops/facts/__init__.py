"""Facts about ops that several rooms ask: when one is poison, which divisors are not zero, which ops have effects."""
