"""The job editor: makes a job file, or changes one and keeps all else in it, for someone who never saw one."""
