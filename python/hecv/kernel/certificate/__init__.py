"""What a certificate says, as plain data: no prover and no checker stands here."""
