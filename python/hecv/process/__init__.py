"""Worker processes: forked children with limits of time and memory, and what is sent between them."""
