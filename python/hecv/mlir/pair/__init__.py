"""What is read of one function with a view to the other: bufferized targets, flags, operand order."""
