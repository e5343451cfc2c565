"""The place where pull requests are discussed: GitHub, or what answers like it."""
