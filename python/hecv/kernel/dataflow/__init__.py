"""Checks of dataflow certificates, step by step."""
