"""hecv: does a transformed program still compute what the original computes?"""

TYPE_CHECKING = False  # as type checkers read it, without loading `typing`: a served command loads nothing else
if TYPE_CHECKING:
    from hecv.tensors.logged_tensors import log_tensor

__all__ = ["log_tensor"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """`log_tensor`, when a program asks for it.

    Raises: AttributeError for another name.
    """
    if name == "log_tensor":
        from hecv.tensors.logged_tensors import log_tensor

        return log_tensor
    raise AttributeError(f"module 'hecv' has no attribute '{name}'")
