"""The certificate format, as plain data: no prover and no checker stands here."""
