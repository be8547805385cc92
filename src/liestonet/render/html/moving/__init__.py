"""The data for the scripts of the page, as one JSON text that is safe inside a script element."""
