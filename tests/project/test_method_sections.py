"""Where the formulas of each section of docs/method.md are checked: in the files beside, or by tests of the rooms."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
ELSEWHERE = {
    "2.1": "symmetry/determining/test_equations.py::test_tables_are_the_equations_of_the_theory",
    "2.2": "symmetry/determining/test_equations.py::test_covariance_equation_comes_from_the_noise_equation",
    "2.4": "symmetry/determining/test_equations.py::test_lift_identities",
    "2.5": "surrogate/test_cholesky.py::test_root_derivatives_and_changes",
    "2.6": "symmetry/analytic/test_dimension_bound.py::test_known_dimensions_are_those_of_the_literature",
    "3.1": "symmetry/determining/test_equations.py::test_relative_residual_has_no_units",
    "3.2": "symmetry/determining/test_operator.py::test_columns_are_the_equations_of_one_basis_function",
    "3.3": "symmetry/analytic/test_dimension_bound.py::test_bound_of_known_systems",
    "3.4": "symmetry/analytic/test_nullspace.py::test_a_symmetry_falls_and_a_near_symmetry_stays",
    "3.5": "pipeline/test_long_times.py::test_shift_matrix_is_the_time_derivative",
    "3.6": "symmetry/analytic/test_families.py::test_what_paths_reach_is_the_rank_of_all_brackets",
    "3.7": "symmetry/analytic/test_monodromy.py::test_the_shift_of_known_fields",
    "4.1": "surrogate/test_variances.py::test_weights_from_the_same_data_do_not_bias_means",
    "4.2": "surrogate/test_shrinkage.py::test_evidence_is_the_density_of_the_data_relative_to_no_coefficients",
    "4.4": "surrogate/test_pieces.py::test_the_covariance_is_that_of_all_scores_at_once",
    "4.6": "surrogate/test_relaxation.py::test_windows_grow_with_the_recording_up_to_two_relaxation_times",
    "4.7": "surrogate/test_filter.py::test_likelihood_of_a_linear_process",
    "4.8": "surrogate/test_noise_shapes.py::TestSeriesWithAShape.test_offset_is_half_the_noise_times_its_slope",
    "4.9": "surrogate/test_inertial_filter.py::test_innovations_are_those_of_an_exact_filter",
    "5.2": "surrogate/test_pieces.py::test_intervals_and_p_values_are_those_of_chi_square",
    "5.3": "surrogate/test_pieces.py::test_both_ends_of_an_interval_cover_the_true_residual",
    "5.6": "symmetry/statistical/test_near_symmetries.py::test_the_slope_is_that_of_the_deviance",
    "5.7": "inference/test_date_test.py::test_the_sums_are_those_of_a_loop",
    "5.8": "inference/test_adequacy.py::test_score_against_a_regression_with_more_columns",
    "5.10": "inference/test_resolution.py::test_a_wave_of_that_length_is_as_uncertain_as_the_tolerance_allows",
    "6.1": "inference/test_translation_invariance.py::TestTermsLeftOut.test_is_the_regression_without_these_terms",
    "6.3": "inference/test_held_out.py::test_deviance_is_the_posterior_cost_with_the_cheapest_hidden_part",
    "7.1": "validation/test_ratio_test.py::test_the_deviance_is_the_least_square_of_errors_that_explain_the_residual",
    "7.2": "validation/test_bartlett.py::test_few_draws_make_f_of_chi_square",
    "7.3": "validation/test_bartlett.py::test_the_bias_is_what_the_prior_takes_from_the_estimate",
    "8.1": "validation/test_flows.py::test_flows_are_exact",
    "8.2": "validation/test_validate.py::test_delta_nll_of_an_exact_symmetry_is_zero",
    "9": "validation/test_validate.py::test_the_bound_bounds_and_the_angle_grows",
    "11.1": "algebra/test_structure.py::test_jacobi_residual_of_tensors",
    "12": "neural/test_losses.py::test_equations_agree_with_the_table_of_terms",
    "13": "symmetry/determining/test_equations.py::test_misprints_lose_true_generators",
    "14.1": "validation/test_exact_test.py::test_the_residual_is_the_part_that_the_mirror_changes",
    "14.2": "validation/test_exact_test.py::test_maps_are_proved_or_fail_at_a_point",
    "14.3": "validation/maps/test_map_test.py::test_joined_p_values_are_uniform",
    "14.4": "validation/maps/test_randomisation.py::test_paths_replaced_by_images_only_choose_other_rows",
    "14.5": "validation/maps/test_discrete.py::test_groups_of_equations",
    "14.6": "validation/maps/test_discrete.py::test_the_mirror_of_a_well_and_its_centre",
    "15.1": "validation/reversal/test_reversible.py::test_detailed_balance_is_proved",
    "15.2": "validation/reversal/test_reversible.py::test_data_of_a_gradient_system_and_of_a_turning_one",
    "15.3": "validation/reversal/test_reversible.py::test_entropy_production_of_linear_equations",
    "16.1": "densities/test_density.py::test_killing_by_feynman_and_kac",
    "16.2": "densities/test_density.py::test_the_potential_gives_the_dimension_for_the_catalogue",
    "16.3": "densities/test_density.py::test_the_kernels_solve_their_equations",
    "16.4": "densities/test_density.py::test_barriers_and_intervals",
    "16.5": "densities/test_density.py::test_the_density_at_an_end_is_its_limit",
    "16.6": "densities/test_prices.py::test_black_and_scholes_keeps_its_digits_however_far_the_strike_is",
    "16.7": "densities/test_likelihood.py::test_the_maximum_is_that_of_the_linear_regression",
    "17.1": "pipeline/test_classify.py::test_known_conditions_are_found_and_no_other",
    "17.2": "validation/test_augmentation.py::test_copies_have_the_law_of_the_equation",
    "18.1": "reduction/test_strategies.py::test_the_equation_on_a_section_is_that_of_its_coordinates",
    "18.2": "reduction/test_reduce.py::test_two_symmetries_make_a_bessel_process",
    "18.3": "reduction/test_strategies.py::test_the_equation_on_a_section_is_that_of_its_coordinates",
    "18.4": "reduction/test_reduce.py::test_systems",
    "18.5": "reduction/test_reduce.py::test_one_symmetry_with_time_makes_an_equation_autonomous",
    "18.6": "reduction/test_sampling.py::test_a_step_of_a_bessel_process_has_the_known_law",
    "18.7": "reduction/test_invariants.py::test_paths_do_not_change_an_invariant",
    "18.8": "reduction/test_martingales.py::test_the_drift_of_a_martingale_vanishes",
    "18.9": "reduction/recording/test_equation_fit.py::test_conditions_are_the_determining_equations",
    "18.10": "reduction/test_random_solution.py::test_the_solution_of_the_logistic_equation_is_the_known_one",
    "19.1": "groups/test_shared_algebra.py::test_exclusions_are_counted_among_all_groups",
    "19.2": "groups/test_shared_constants.py::test_the_joint_test_is_generalised_least_squares",
}
# Sections that define words or describe a procedure, without a formula of their own.
NO_FORMULA = {
    "1.1": "notation",
    "5.9": "a repetition of the tests of §5.5",
    "6.2": "proposals that other sections judge",
}


@pytest.mark.parametrize("section", ELSEWHERE)
def test_the_tests_that_are_named_exist(section):
    path, _, name = ELSEWHERE[section].partition("::")
    tree: Any = ast.parse((ROOT / "tests" / path).read_text(encoding="utf-8"))
    for part in name.split("."):
        kinds = ast.FunctionDef | ast.ClassDef
        tree = next((node for node in tree.body if isinstance(node, kinds) and node.name == part), None)
        assert tree is not None, f"{ELSEWHERE[section]} is not there"
    assert f"§{section} " in (ROOT / "docs" / "method.md").read_text(encoding="utf-8")


def test_every_section_is_checked():
    """Each section of the page has a check here or in a file beside, or elsewhere, or no formula."""
    page = (ROOT / "docs" / "method.md").read_text(encoding="utf-8")
    numbers = re.findall(r"^#{2,3} §(\d+(?:\.\d+)?) ", page, re.M)
    leaves = {number for number in numbers if f"{number}.1" not in numbers}
    modules = [ast.parse(path.read_text(encoding="utf-8")) for path in Path(__file__).parent.glob("test_method_*.py")]
    tests = [node for tree in modules for node in tree.body if isinstance(node, ast.FunctionDef)]
    here = {number for test in tests for number in re.findall(r"§(\d+(?:\.\d+)?)", ast.get_docstring(test) or "")}
    assert sorted(leaves - here - ELSEWHERE.keys() - NO_FORMULA.keys()) == []
    assert set(ELSEWHERE) | set(NO_FORMULA) <= leaves
