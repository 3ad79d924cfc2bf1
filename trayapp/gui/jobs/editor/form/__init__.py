"""The form's state and its parts: fields with their faults, choices, the picture of what is cut."""
