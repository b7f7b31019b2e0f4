"""Ops on memrefs: allocation, views, copies, globals."""
