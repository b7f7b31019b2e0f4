"""Integers of fixed width: divisions that were made multiplications."""
