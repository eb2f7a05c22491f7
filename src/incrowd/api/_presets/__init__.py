"""Rules of others, as promises and checklists."""
