"""Sweeping by cuts, for programs of any length, in several processes."""
