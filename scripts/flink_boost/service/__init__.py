"""What runs unattended, and the quick look."""
