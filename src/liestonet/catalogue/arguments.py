"""Proofs that there are no further generators, shared by several systems (docs/method.md §2.6).

The tests confirm each count independently, by power series at a generic point.
"""

SCALAR = (
    "In y = ∫dx/σ, with unit noise, E2 gives ξ = τ'y/2 + h(t), and E1 becomes τ''y/2 + h' = (τ'y/2 + h)g_y + τ'g/2 + "
    "τg_t for the drift g. Its solutions have dimension three iff g is affine in y, two iff g = A/y + b(t)y in some "
    "moving frame y − y0(t), else one at most. "
)
DENSITY = (
    "For Fokker–Planck, u = exp(∫g dy) v turns the equation into v_t = v_yy/2 − Vv with V = (g_y + g²)/2 + ∂_t∫g dy: "
    "six generators modulo superposition iff V is quadratic in y, four iff V is quadratic plus c/y² in some moving "
    "frame, else two (u∂u and one more) or one. "
)
THREE = SCALAR + DENSITY + "Here g is affine in y, so three, and V is quadratic, so six."
ONE = (
    SCALAR + DENSITY + "Here g does not depend on t and is neither affine nor A/y + by, so ∂t alone; "
    "V is neither quadratic nor quadratic plus an inverse square, so ∂t and u∂u alone."
)
HEAT = (
    "A change of variables and of clock carries the law to that of n-dimensional Brownian motion, whose symmetries "
    "are: τ of degree 2 in t at most and ξ = τ'x/2 + Ωx + h(t) with Ω antisymmetric and constant, since E2 or Q make "
    "ξ a homothety of the metric a⁻¹. E1 then requires τ'' = 0 and h' = 0: n + 2 for Itô (Ω = 0), "
    "n(n−1)/2 more for law; "
    "Fokker–Planck allows τ'' and h' together with β, which gives sl(2), so(n) and the Heisenberg "
    "algebra: n(n−1)/2 + 2n + "
    "4. "
)
LINEAR = (
    "With constant noise, drift Mx and coordinates in which a = 1, E2 gives ξ = τ'x/2 + h(t) and law adds Ωx with Ω "
    "antisymmetric. E1 gives h' = Mh, n solutions, and τ''/2 + Ω' + [Ω, M] = τ'M. For Itô (Ω = 0) that requires τ' = 0 "
    "unless M is a multiple of 1. For law, let S be the symmetric part of M without its trace: τ'S = [Ω, S], so τ' tr "
    "S² = 0, and τ' = 0 unless S = 0; Ω commutes with S. Fokker–Planck adds β = w·x with w' = −Mᵀw, n more, and u∂u. "
)
GENERIC = (
    "The noise determines ξ up to finitely many functions of t (E2, or Q for law), and E1 compared power by power in "
    "the coordinates leaves the generators listed: τ' = 0 because no scaling preserves all terms of the drift, and "
    "nothing else because no direction is one in which all coefficients are constant. "
)
