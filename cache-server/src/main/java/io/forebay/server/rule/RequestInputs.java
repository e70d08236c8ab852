package io.forebay.server.rule;

import io.forebay.core.http.AuthorityNormalizer;
import io.forebay.server.rule.expression.ExpressionInputs;
import io.forebay.server.rule.expression.Variable;
import java.time.Instant;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A request as expressions see it. */
record RequestInputs(RequestFacts facts) implements ExpressionInputs {

  @Override
  public Object value(Variable variable) {
    return switch (variable) {
      case METHOD -> facts.view().method();
      case SCHEME -> facts.view().scheme();
      case HOST -> AuthorityNormalizer.host(facts.view().authority());
      case PATH -> facts.view().path();
      case QUERY_STRING -> text(facts.view().query());
      case PROTOCOL -> facts.client().protocol();
      case LISTENER -> facts.client().listener();
      case TIME -> Instant.ofEpochMilli(facts.nowMillis());
      case CLIENT_IP -> facts.clientText();
      case TLS_VERSION -> text(facts.client().tlsVersion());
      case TLS_SERVER_NAME -> text(facts.client().tlsServerName());
      // Maps, and what is of responses and records.
      default -> throw new IllegalStateException(variable.toString());
    };
  }

  private static String text(@Nullable String value) {
    return value == null ? "" : value;
  }

  /** Without Host, which HTTP/2 requests do not have. */
  @Override
  public @Nullable String field(Variable variable, String lowerCaseName) {
    return lowerCaseName.equals("host") ? null : facts.view().fields().combined(lowerCaseName);
  }

  @Override
  public void forEach(Variable variable, BiConsumer<String, String> visitor) {
    switch (variable) {
      case HEADERS ->
          facts
              .view()
              .fields()
              .forEach((name, value) -> {
                String field = name.toString();
                if (!field.equalsIgnoreCase("host")) {
                  visitor.accept(field, value.toString());
                }
              });
      case COOKIES ->
          facts.view().fields().all("cookie").forEach(line -> pairs(line, ';', false, visitor));
      case QUERY -> pairs(text(facts.view().query()), '&', true, visitor);
      default -> throw new IllegalStateException(variable.toString());
    }
  }

  /** The pairs {@code name=value} of a text. */
  private static void pairs(
      String text, char separator, boolean isEncoded, BiConsumer<String, String> visitor) {
    int at = 0;
    while (at < text.length()) {
      int next = text.indexOf(separator, at);
      int end = next < 0 ? text.length() : next;
      while (!isEncoded && at < end && text.charAt(at) == ' ') {
        at++;
      }
      int equals = text.indexOf('=', at);
      int split = equals < 0 || equals > end ? end : equals;
      if (at < end) {
        String name = text.substring(at, split);
        String value = text.substring(Math.min(end, split + 1), end);
        visitor.accept(
            isEncoded ? RequestConditions.decoded(name) : name,
            isEncoded ? RequestConditions.decoded(value) : value);
      }
      at = end + 1;
    }
  }
}
