"""What compiled code is called with, and what it gives back."""
