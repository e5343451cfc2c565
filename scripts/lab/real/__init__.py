"""Detection proved on real forks: nights of short runs, and builds with a delay put in."""
