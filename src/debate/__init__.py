"""debate: argue a decision with other agents, on the record, before anything changes."""

__version__ = "0.1.0"  # the one place: packaging, bin/debate and `debate --version` read it here
