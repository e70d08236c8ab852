package io.forebay.server.rule.expression;

import org.jspecify.annotations.Nullable;

/**
 * A part of a message that an expression depends on.
 *
 * @param name the one name in a map that is asked for, or null for the whole variable
 */
public record VariableUse(Variable variable, @Nullable String name) {}
