"""How everything looks: colours, type sizes, icons, and the few widgets that Qt does not have."""
