"""What writes pages and result files; run from the root of the repository."""
