"""Evaluation of operators on concrete operands."""
