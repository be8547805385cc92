"""Recordings under several conditions: a result for each group, and tests of what the groups share."""
