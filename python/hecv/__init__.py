"""hecv: does a transformed program still compute what the original computes?"""

__version__ = "0.1.0"
