"""Help inside the application: F1 opens it at what the person is looking at."""
