"""Two builds measured against each other: on real forks, and remembered per benchmark."""
