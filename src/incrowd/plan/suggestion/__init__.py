"""What is known of a table before anything is asked: roles, hierarchies, a plan."""
