package io.forebay.lab.model;

/**
 * Where a formula gives another figure than the publication.
 *
 * @param figure what is compared
 * @param published as printed there
 * @param reckoned by the formula, in the same unit
 * @param assumption that explains the difference, or what the published figure implies
 */
public record Discrepancy(String figure, String published, String reckoned, String assumption) {}
