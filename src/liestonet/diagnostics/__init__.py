"""What may be wrong with the data: flags, each with its number, a calibrated test and one action."""
