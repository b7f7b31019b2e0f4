"""The polyhedral model of a program in isl: domains, schedules, access relations, value-based dataflow."""
