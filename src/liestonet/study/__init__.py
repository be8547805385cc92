"""Studies: jobs with a result file each, run here, in processes or on a cluster, and pages made from the results.

The questions that are studied are elsewhere: the paper's items in `reproduction`, others in `experiments/`.
"""
