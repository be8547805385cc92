"""Recordings under several conditions: a result for each group, and what the groups share."""
