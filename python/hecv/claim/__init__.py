"""What a verdict claims: its assumptions, the semantics that a user can switch, and the result itself."""
