"""Runs whose floats are exact, intervals, or free of choices: what a difference must be shown on."""
