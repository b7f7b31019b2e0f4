"""What a source says of its values: assertions, positive divisors, rows in bounds."""
