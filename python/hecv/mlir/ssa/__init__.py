"""Editable SSA graphs: functions that `hecv rewrite` can edit and print."""
