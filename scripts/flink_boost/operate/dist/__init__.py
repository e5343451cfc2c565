"""A whole Flink distribution with our classes inside, and the page that describes it."""
