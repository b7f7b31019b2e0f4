"""Tracing of rule files: the words in which patterns and rules are written, and their bodies traced along all paths."""
