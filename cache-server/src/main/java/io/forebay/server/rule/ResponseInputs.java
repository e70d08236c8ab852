package io.forebay.server.rule;

import io.forebay.core.http.FieldsView;
import io.forebay.server.rule.expression.ExpressionInputs;
import io.forebay.server.rule.expression.Variable;
import java.util.Locale;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A response of the origin as expressions see it. */
record ResponseInputs(int status, FieldsView fields) implements ExpressionInputs {

  @Override
  public Object value(Variable variable) {
    return switch (variable) {
      case STATUS -> (long) status;
      case CONTENT_TYPE -> mediaType(fields);
      default -> throw new IllegalStateException(variable.toString());
    };
  }

  /** The media type without parameters, in lower case; empty where there is none. */
  static String mediaType(FieldsView fields) {
    CharSequence line = fields.first("content-type");
    return line == null ? "" : line.toString().split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
  }

  @Override
  public @Nullable String field(Variable variable, String lowerCaseName) {
    return fields.combined(lowerCaseName);
  }

  @Override
  public void forEach(Variable variable, BiConsumer<String, String> visitor) {
    fields.forEach((name, value) -> visitor.accept(name.toString(), value.toString()));
  }
}
