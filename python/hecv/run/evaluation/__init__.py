"""Operators on concrete operands."""
