"""One file for whoever helps: how this Birkez and its jobs stand, without secrets and without names of people."""
