"""Worker processes: forked children with limits on time and memory, and the data sent between them."""
