package io.forebay.server.rule.expression;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The message, or the record of one, that an expression is asked about. */
public interface ExpressionInputs {

  /**
   * A text, a number as {@link Long}, a time as {@link java.time.Instant} or a {@link
   * java.time.Duration}.
   */
  Object value(Variable variable);

  /** The value of a header field, its lines joined; null where there is none. */
  @Nullable String field(Variable variable, String lowerCaseName);

  /** Visits the pairs of a map in their order; names may occur more than once, in any case. */
  void forEach(Variable variable, BiConsumer<String, String> visitor);
}
