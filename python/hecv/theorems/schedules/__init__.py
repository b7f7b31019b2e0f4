"""Schedules of statement instances, and when two of them are equal."""
