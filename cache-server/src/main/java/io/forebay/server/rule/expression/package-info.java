/**
 * Conditions in CEL (Common Expression Language). The library {@code dev.cel} parses and checks
 * them when the configuration is loaded; what they compile to is evaluated here, within a number of
 * steps, by any thread.
 *
 * <pre>
 *   text ──► ExpressionCompiler ──► dev.cel: parse, check ──► Translator ──► Expression
 *                                                                               │
 *   ExpressionInputs ─────────────────────────────────────► Frame (steps) ──────┴─► yes, no
 *                                                                                   or an error
 * </pre>
 *
 * <p>Start at {@link io.forebay.server.rule.expression.ExpressionCompiler}. Only it and the
 * translator know {@code dev.cel}, so that a configuration without expressions loads none of it.
 */
@NullMarked
package io.forebay.server.rule.expression;

import org.jspecify.annotations.NullMarked;
