"""Actions on conversations: functions that change rows, each in one transaction."""
