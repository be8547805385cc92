"""Every table and figure of the paper, and ours beside it: jobs that can be stopped and resumed, and a page of results.

The only room, with the command line, that may look into the catalogue and knows the paper's examples.
"""
