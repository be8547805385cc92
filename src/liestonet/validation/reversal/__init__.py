"""Reversibility: does a process look the same when time runs backwards? (docs/method.md §15)"""
