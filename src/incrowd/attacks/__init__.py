"""What an intruder learns from a release. Still empty."""
