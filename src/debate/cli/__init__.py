"""The command line: one file a group of commands, each thin. Commands are loaded when they are called."""
