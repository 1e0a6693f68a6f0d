"""Short formulas for rows whose derived ones are long, and the proofs that both are equal."""
