"""Stage 1: drift, diffusion and density learnt from trajectories by networks. NumPy in, frozen values out.

    from liestonet.neural.coefficients.settings import CoefficientSettings, DensitySettings
    from liestonet.neural.coefficients.fit_coefficients import fit_coefficients
    from liestonet.neural.coefficients.density import fit_density, log_density

    surrogate = fit_coefficients(data, CoefficientSettings(), seed=0)        # a NeuralSurrogate
    surrogate.drift(t, x); surrogate.diffusion_squared(t, x)                 # NumPy, any points
    surrogate.jet(t, x, kind.jet_order)                                      # derivatives on a cloud, once, NumPy
    search(kind, surrogate, surrogate.domain, surrogate.overview.points, Criteria())   # like the spectral surrogate
    density = fit_density(data, DensitySettings(), coefficients=surrogate, seed=0)       # û > 0; density.jet(t, x)
    log_density(density.settings.activation, density.gaussian, density.ratio, points)    # log û inside JAX code

Settings are frozen dataclasses of numbers, strings and tuples; fits are frozen dataclasses of arrays and settings, so
that both can be stored without code.
"""
