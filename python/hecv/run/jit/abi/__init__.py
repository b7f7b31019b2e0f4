"""The ABI of compiled code: how arguments are passed and results returned."""
