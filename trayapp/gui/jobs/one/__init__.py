"""One job's page: why it is as it is, and what can be done now."""
