"""What a certificate says, as plain data: no prover and no checker (`hecv.replay`) stands here."""
