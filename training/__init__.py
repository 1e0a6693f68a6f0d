"""What makes committed models; run from the root of the repository."""
