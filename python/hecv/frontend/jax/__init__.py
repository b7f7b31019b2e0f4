"""What knows of JAX."""
