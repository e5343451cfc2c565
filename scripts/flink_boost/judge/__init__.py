"""What numbers mean: ratio, verdict, series, trend, goals, published tables."""
