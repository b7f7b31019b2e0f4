"""The provers and the order in which they are asked (`portfolio.py`), each with its certificate."""
