package io.forebay.cli.importer.vcl;

import io.forebay.cli.importer.vcl.CookiePatterns.Left;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What VCL made of the request so far: rules see it as the client sent it. */
final class RequestState {

  /** A value that a field has where the condition holds. */
  sealed interface Value {
    record Absent() implements Value {}

    record Given(VclExpression expression) implements Value {}
  }

  /** An assignment; later ones take precedence. */
  record Assigned(Condition when, Value value) {}

  /** Cookies where the condition holds. */
  record AssignedCookies(Condition when, Left left) {}

  private final Map<String, List<Assigned>> fields = new HashMap<>();
  private final List<AssignedCookies> cookies = new ArrayList<>();
  private boolean isUrlChanged;

  void assign(String field, Condition when, Value value) {
    fields
        .computeIfAbsent(field.toLowerCase(Locale.ROOT), key -> new ArrayList<>())
        .add(new Assigned(when, value));
  }

  List<Assigned> assignments(String field) {
    return fields.getOrDefault(field.toLowerCase(Locale.ROOT), List.of());
  }

  void assignCookies(Condition when, Left left) {
    cookies.add(new AssignedCookies(when, left));
  }

  List<AssignedCookies> cookies() {
    return cookies;
  }

  /** The cookies where no condition holds. */
  Left cookiesOfAll() {
    return cookies.stream()
        .filter(one -> one.when().isAlways())
        .map(AssignedCookies::left)
        .reduce((one, other) -> other)
        .orElse(new Left.Everything());
  }

  /** The condition that a cookie is left. */
  Condition hasCookies() {
    Condition has = CookiePatterns.isLeft(new Left.Everything());
    for (AssignedCookies one : cookies) {
      Condition own = CookiePatterns.isLeft(one.left());
      has =
          one.when().isAlways()
              ? own
              : Condition.any(List.of(one.when().and(own), Condition.not(one.when()).and(has)));
    }
    return has;
  }

  void changeUrl() {
    isUrlChanged = true;
  }

  boolean isUrlChanged() {
    return isUrlChanged;
  }

  /** The value of a field that has the same one for all requests, else the name itself. */
  VclExpression resolved(VclExpression expression) {
    return switch (expression) {
      case VclExpression.Name(String name) when VclNames.isRequestField(name) -> {
        List<Assigned> all = assignments(VclNames.field(name));
        yield !all.isEmpty()
                && all.getLast().when().isAlways()
                && all.getLast().value() instanceof Value.Given(VclExpression given)
            ? given
            : expression;
      }
      case VclExpression.Binary(String operator, VclExpression left, VclExpression right) ->
          new VclExpression.Binary(operator, resolved(left), resolved(right));
      case VclExpression.Call(String name, List<VclExpression> arguments) ->
          new VclExpression.Call(name, arguments.stream().map(this::resolved).toList());
      default -> expression;
    };
  }

  /** The value of a field on a way on which the conditions hold. */
  VclExpression resolved(String field, Condition path) {
    List<Assigned> all = assignments(field);
    for (Assigned one : all.reversed()) {
      if (path.parts().containsAll(one.when().parts())
          && one.value() instanceof Value.Given(VclExpression given)) {
        return given;
      }
    }
    return new VclExpression.Name("req.http." + field);
  }
}
