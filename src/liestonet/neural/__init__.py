"""The paper's engine: generators as neural networks, trained on the losses L1–L9. The only room that imports JAX.

`settings`, `presets` and `tuning` hold plain values and load no JAX; everything else does, and is imported where it is
used.
"""
