package io.forebay.server.rule;

import io.forebay.server.rule.RequestPart.Kind;
import io.forebay.server.rule.expression.EvaluationException;
import io.forebay.server.rule.expression.Expression;
import io.forebay.server.rule.expression.VariableUse;
import java.util.function.Consumer;

/** An expression in CEL about the request. Never in the fast lane: values of it are objects. */
record ExpressionCondition(Expression expression) implements Condition {

  @Override
  public int test(RequestFacts facts) {
    if (facts.isFast()) {
      return LATER;
    }
    try {
      return expression.holds(new RequestInputs(facts), facts.steps()) ? YES : NO;
    } catch (EvaluationException e) {
      return facts.failed(e);
    }
  }

  @Override
  public int cost() {
    return 1000;
  }

  @Override
  public void parts(Consumer<RequestPart> each) {
    expression.uses().forEach(use -> each.accept(part(use)));
  }

  private static RequestPart part(VariableUse use) {
    return switch (use.variable()) {
      case METHOD -> new RequestPart(Kind.METHOD, "");
      case SCHEME -> new RequestPart(Kind.SCHEME, "");
      case HOST -> new RequestPart(Kind.HOST, "");
      case PATH -> new RequestPart(Kind.PATH, "");
      case PROTOCOL -> new RequestPart(Kind.PROTOCOL, "");
      case LISTENER -> new RequestPart(Kind.LISTENER, "");
      case TIME -> new RequestPart(Kind.TIME, "");
      case CLIENT_IP -> new RequestPart(Kind.CLIENT, "");
      case TLS_VERSION, TLS_SERVER_NAME -> new RequestPart(Kind.TLS, "");
      case QUERY -> named(Kind.QUERY, use);
      case HEADERS -> named(Kind.HEADER, use);
      case COOKIES -> named(Kind.COOKIE, use);
      // Of a request only the query as text; the others are of responses and records.
      default -> new RequestPart(Kind.WHOLE, use.variable().toString());
    };
  }

  private static RequestPart named(Kind kind, VariableUse use) {
    String name = use.name();
    return name == null
        ? new RequestPart(Kind.WHOLE, use.variable().toString())
        : new RequestPart(kind, name);
  }

  @Override
  public boolean hasExpression() {
    return true;
  }
}
