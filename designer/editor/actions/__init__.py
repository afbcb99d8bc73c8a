"""Actions of the editor: functions that change rows, each in one transaction."""
