"""hecv: does a transformed program still compute what the original computes?"""

from hecv.torch.logged_tensors import log_tensor

__all__ = ["log_tensor"]
__version__ = "0.1.0"
