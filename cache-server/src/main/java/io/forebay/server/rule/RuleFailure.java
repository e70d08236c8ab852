package io.forebay.server.rule;

/**
 * A rule whose condition could not be told for a request.
 *
 * @param reason for people; may have text of the request
 */
public record RuleFailure(Rule rule, String reason) {}
