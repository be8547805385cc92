"""The paper's engine: generators as neural networks, trained on the losses L1–L9. The only package that imports JAX.

`settings`, `presets` and `tuning` hold plain values and load no JAX; all other modules do, and are imported only when
they are used.
"""
