"""What a table suggests before anything is asked: roles, hierarchies, promises, a plan."""
