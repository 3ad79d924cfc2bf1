"""The small panel that opens beside the tray icon."""
