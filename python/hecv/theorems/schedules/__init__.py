"""Schedules of statement instances, and the obligations that make two of them equal."""
