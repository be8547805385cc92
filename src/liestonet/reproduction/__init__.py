"""Every table and figure of the paper compared with LieStoNet's: resumable jobs, and a page of results.

Only this package and the command line may use the catalogue and know the paper's examples.
"""
