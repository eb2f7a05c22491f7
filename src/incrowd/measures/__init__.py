"""What a release cost, and how great the risk of re-identification is. Still empty."""
