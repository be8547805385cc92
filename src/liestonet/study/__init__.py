"""Jobs with a result file each, run here, in processes or on a cluster, and what is made of their results.

Knows nothing of any question that is studied: the paper's items are in `reproduction`, others in `experiments/`.
"""
