package io.forebay.server.rule.expression;

/** A part of a compiled expression. Immutable. */
@FunctionalInterface
interface Node {

  /**
   * A {@link Boolean}, {@link Long}, {@link Double}, {@link String}, {@link java.time.Instant},
   * {@link java.time.Duration}, {@link java.util.List} of these, or a {@link Variable} that stands
   * for its map.
   *
   * @throws EvaluationException where it has none
   */
  Object value(Frame frame);
}
