"""Scalar residuals: scalar code that the induction leaves over, with its leaves named."""
