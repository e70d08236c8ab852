package io.forebay.cli.importer.vcl;

import io.forebay.cli.importer.model.UntranslatableException;
import io.forebay.cli.importer.vcl.CookiePatterns.Left;
import io.forebay.cli.importer.vcl.RequestState.Assigned;
import io.forebay.cli.importer.vcl.RequestState.AssignedCookies;
import io.forebay.cli.importer.vcl.RequestState.Value;
import io.forebay.cli.importer.vcl.VclExpression.Amount;
import io.forebay.cli.importer.vcl.VclExpression.Binary;
import io.forebay.cli.importer.vcl.VclExpression.Call;
import io.forebay.cli.importer.vcl.VclExpression.Name;
import io.forebay.cli.importer.vcl.VclExpression.Text;
import io.forebay.server.text.LinearRegex;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Conditions of VCL in the words of rules. */
final class ConditionImport {
  static final String HITS = "Cache-Status of every response says whether it was a hit";

  /** Of what is compared. */
  private static final int MAX_TEXT = 1024;

  private static final Pattern METHODS = Pattern.compile("\\^?\\(?(?:\\?:)?([A-Z|]+)\\)?\\$?");

  private final AclImport acls;
  private final RequestState request;

  /** The status of a response that the node makes, or null. */
  private final @Nullable Integer knownStatus;

  ConditionImport(AclImport acls, RequestState request, @Nullable Integer knownStatus) {
    this.acls = acls;
    this.request = request;
    this.knownStatus = knownStatus;
  }

  ConditionImport withStatus(int status) {
    return new ConditionImport(acls, request, status);
  }

  /**
   * The condition that an expression is true.
   *
   * @param notes gets what differs
   */
  Condition of(VclExpression expression, List<String> notes) throws UntranslatableException {
    return switch (expression) {
      case Binary binary -> of(binary, notes);
      case VclExpression.Not(VclExpression inner) -> Condition.not(of(inner, notes));
      case Name(String name) -> present(name, notes);
      case Call(String name, List<VclExpression> _) ->
          throw new UntranslatableException(
              name.equals("std.healthy")
                  ? "rules know nothing of the health of origins: see stale-if-error"
                  : "rules have no " + name);
      default -> throw new UntranslatableException("a condition that is not understood");
    };
  }

  private Condition of(Binary binary, List<String> notes) throws UntranslatableException {
    VclExpression left = binary.left();
    VclExpression right = binary.right();
    return switch (binary.operator()) {
      case "&&" -> of(left, notes).and(of(right, notes));
      case "||" -> Condition.any(List.of(of(left, notes), of(right, notes)));
      case "!=" -> Condition.not(compared(left, "==", right, notes));
      case "!~" -> Condition.not(compared(left, "~", right, notes));
      default -> compared(left, binary.operator(), right, notes);
    };
  }

  private Condition present(String name, List<String> notes) throws UntranslatableException {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "true" -> Condition.always();
      case "false", "req.esi", "bereq.is_bgfetch" -> Condition.never();
      case "obj.hits", "req.is_hit" -> throw new UntranslatableException(HITS);
      case "req.http.host" -> Condition.always();
      default -> {
        String field = VclNames.field(name);
        if (VclNames.isRequestField(name)) {
          yield ofField(field, new FieldTest("present", "", field), notes);
        }
        if (VclNames.isResponseField(name)) {
          yield new Condition.OnResponse(
              field, "*", Cel.hasField("response", field.toLowerCase(Locale.ROOT)));
        }
        throw new UntranslatableException("rules have no condition on " + name);
      }
    };
  }

  private Condition compared(
      VclExpression left, String operator, VclExpression right, List<String> notes)
      throws UntranslatableException {
    if (left instanceof Call(String name, List<VclExpression> arguments)
        && Set.of("std.tolower", "std.toupper").contains(name)
        && arguments.size() == 1) {
      String text = VclNames.constant(right);
      String expression = operator.equals("==") ? "^" + quoted(text) + "$" : text;
      return compared(arguments.getFirst(), "~", new Text("(?i)" + expression), notes);
    }
    if (left instanceof Call(String name, List<VclExpression> arguments)
        && name.equals("std.port")
        && !arguments.isEmpty()) {
      throw new UntranslatableException(
          "ports of listeners: use a condition on listener or scheme");
    }
    if (left instanceof Text && right instanceof Name && operator.equals("==")) {
      return compared(right, operator, left, notes);
    }
    if (!(left instanceof Name(String variable))) {
      throw new UntranslatableException("a comparison that is not understood");
    }
    String lower = variable.toLowerCase(Locale.ROOT);
    return switch (lower) {
      case "req.method", "bereq.method" -> method(operator, VclNames.constant(right));
      case "req.url", "bereq.url" -> {
        if (request.isUrlChanged()) {
          notes.add("differs: compared with the URL of the client");
        }
        String text = textOf(right);
        yield switch (operator) {
          case "==" -> UrlPatterns.is(text, notes);
          case "~" -> UrlPatterns.found(text, notes);
          default -> throw new UntranslatableException("a comparison that is not understood");
        };
      }
      case "req.http.host", "bereq.http.host" -> host(operator, textOf(right));
      case "client.ip" -> {
        if (operator.equals("~") && right instanceof Name(String acl)) {
          yield acls.condition(acl);
        }
        yield acls.ofAddress(VclNames.constant(right));
      }
      case "req.proto" -> {
        String protocol = VclNames.constant(right).replace("HTTP/2.0", "HTTP/2");
        if (!operator.equals("==") || !protocol.matches("HTTP/(1\\.0|1\\.1|2)")) {
          throw new UntranslatableException("a protocol that is not known");
        }
        yield new Condition.OnRequest(
            "protocol", protocol, false, "request.protocol == " + Cel.text(protocol));
      }
      case "req.restarts", "bereq.retries", "req.esi_level" -> fixed(0, operator, number(right));
      case "resp.status", "beresp.status", "obj.status" -> {
        Integer known = knownStatus;
        yield known != null ? fixed(known, operator, number(right)) : status(operator, right);
      }
      case "obj.hits" -> throw new UntranslatableException(HITS);
      default -> {
        String field = VclNames.field(variable);
        if (VclNames.isRequestField(variable)) {
          yield ofField(field, new FieldTest(operator, textOf(right), field), notes);
        }
        if (VclNames.isResponseField(variable)) {
          yield ofResponse(field, operator, textOf(right));
        }
        throw new UntranslatableException("rules have no condition on " + variable);
      }
    };
  }

  private String textOf(VclExpression expression) throws UntranslatableException {
    String text = VclNames.constant(request.resolved(expression));
    if (text.length() > MAX_TEXT) {
      throw new UntranslatableException("a text of more than " + MAX_TEXT + " characters");
    }
    return text;
  }

  private static int number(VclExpression expression) throws UntranslatableException {
    if (expression instanceof Amount(String text) && text.matches("\\d{1,6}")) {
      return Integer.parseInt(text);
    }
    throw new UntranslatableException("a number that is not fixed");
  }

  private static Condition fixed(int value, String operator, int other)
      throws UntranslatableException {
    boolean holds =
        switch (operator) {
          case "==" -> value == other;
          case "<" -> value < other;
          case "<=" -> value <= other;
          case ">" -> value > other;
          case ">=" -> value >= other;
          default -> throw new UntranslatableException("a comparison that is not understood");
        };
    return holds ? Condition.always() : Condition.never();
  }

  private static Condition status(String operator, VclExpression right)
      throws UntranslatableException {
    int number = number(right);
    Condition.OnStatus status =
        switch (operator) {
          case "==" -> Condition.OnStatus.of(number, number + 1);
          case "<" -> Condition.OnStatus.of(0, number);
          case "<=" -> Condition.OnStatus.of(0, number + 1);
          case ">" -> Condition.OnStatus.of(number + 1, 600);
          case ">=" -> Condition.OnStatus.of(number, 600);
          default -> throw new UntranslatableException("a comparison that is not understood");
        };
    return status.statuses().isEmpty() ? Condition.never() : status;
  }

  private static Condition method(String operator, String text) throws UntranslatableException {
    if (operator.equals("==")) {
      if (!text.matches("[A-Z-]+")) {
        throw new UntranslatableException("methods are in upper case");
      }
      return new Condition.OnMethod(Set.of(text));
    }
    Matcher list = METHODS.matcher(text);
    if (!operator.equals("~") || !list.matches()) {
      throw new UntranslatableException("methods that are not listed");
    }
    return new Condition.OnMethod(
        Set.copyOf(new LinkedHashSet<>(List.of(list.group(1).split("\\|", -1)))));
  }

  private Condition host(String operator, String text) throws UntranslatableException {
    if (operator.equals("==")) {
      String host = text.toLowerCase(Locale.ROOT);
      if (!host.matches("[a-z0-9._-]+")) {
        throw new UntranslatableException("hosts are compared without a port");
      }
      return new Condition.OnRequest(
          "host", Map.of("is", host), true, "request.host == " + Cel.text(host));
    }
    if (!operator.equals("~")) {
      throw new UntranslatableException("a comparison that is not understood");
    }
    if (text.matches(".*:\\d+.*")) {
      throw new UntranslatableException("hosts are compared without a port");
    }
    // Hosts have no upper case here.
    String expression = UrlPatterns.checked(text.startsWith("(?i)") ? text : "(?i)" + text);
    return new Condition.OnRequest(
        "host", Map.of("regex", expression), true, Cel.matches("request.host", expression));
  }

  private static Condition ofResponse(String field, String operator, String text)
      throws UntranslatableException {
    String value = Cel.field("response", field.toLowerCase(Locale.ROOT));
    return switch (operator) {
      case "==" ->
          new Condition.OnResponse(field, Map.of("is", text), value + " == " + Cel.text(text));
      case "~" -> {
        String expression = UrlPatterns.checked(text);
        yield new Condition.OnResponse(
            field, Map.of("regex", expression), Cel.matches(value, expression));
      }
      default -> throw new UntranslatableException("a comparison that is not understood");
    };
  }

  // --- fields of requests -----------------------------------------------------------------------

  /** A test of a field: {@code present}, {@code ==} or {@code ~}. */
  private record FieldTest(String operator, String text, String field) {

    boolean ofAbsent() {
      return !operator.equals("present") && ofText("");
    }

    boolean ofText(String value) {
      return switch (operator) {
        case "present" -> true;
        case "==" -> value.equals(text);
        default -> LinearRegex.of(text).isFoundIn(value);
      };
    }

    /** Whether it holds for an empty text alone. */
    boolean isOfNothing() {
      return (operator.equals("==") && text.isBlank())
          || (operator.equals("~")
              && Set.of("^\\s*$", "^$", "^ *$", "^[\\s;]*$", "^;?\\s*$").contains(text));
    }

    Condition ofClient() throws UntranslatableException {
      String lower = field.toLowerCase(Locale.ROOT);
      String value = Cel.field("request", lower);
      return switch (operator) {
        case "present" ->
            new Condition.OnRequest(
                "header", Map.of(field, "*"), false, Cel.hasField("request", lower));
        case "==" ->
            new Condition.OnRequest(
                "header",
                Map.of(field, Map.of("is", text)),
                false,
                value + " == " + Cel.text(text));
        case "~" -> {
          String expression = UrlPatterns.checked(text);
          yield new Condition.OnRequest(
              "header",
              Map.of(field, Map.of("regex", expression)),
              false,
              Cel.matches(value, expression));
        }
        default -> throw new UntranslatableException("fields are not compared as numbers");
      };
    }

    Condition ofPresence() {
      return new Condition.OnRequest(
          "header",
          Map.of(field, "*"),
          false,
          Cel.hasField("request", field.toLowerCase(Locale.ROOT)));
    }
  }

  private Condition ofField(String field, FieldTest test, List<String> notes)
      throws UntranslatableException {
    if (test.operator().equals("~")) {
      UrlPatterns.checked(test.text());
    }
    if (field.equalsIgnoreCase("cookie")) {
      return ofCookies(test, notes);
    }
    Condition holds = test.isOfNothing() ? Condition.not(test.ofPresence()) : test.ofClient();
    for (Assigned one : request.assignments(field)) {
      Condition own =
          switch (one.value()) {
            case Value.Absent _ -> test.ofAbsent() ? Condition.always() : Condition.never();
            case Value.Given(VclExpression given) when VclNames.isConstant(given) ->
                test.ofText(VclNames.constant(given)) ? Condition.always() : Condition.never();
            case Value.Given _ ->
                throw new UntranslatableException("the value of " + field + " is computed");
          };
      holds = chosen(one.when(), own, holds);
    }
    return holds;
  }

  private static Condition chosen(Condition when, Condition yes, Condition no) {
    return when.isAlways()
        ? yes
        : Condition.any(List.of(when.and(yes), Condition.not(when).and(no)));
  }

  private Condition ofCookies(FieldTest test, List<String> notes) throws UntranslatableException {
    if (test.operator().equals("present")) {
      return request.hasCookies();
    }
    if (test.isOfNothing()) {
      return Condition.not(request.hasCookies());
    }
    Condition holds = test.ofClient();
    for (AssignedCookies one : request.cookies()) {
      Condition own = holds;
      if (one.left() instanceof Left.Nothing) {
        own = Condition.never();
      } else if (!(one.left() instanceof Left.Everything)) {
        notes.add("differs: compared with the cookies of the client");
      }
      holds = chosen(one.when(), own, holds);
    }
    return holds;
  }

  /** A text as an expression that matches nothing else. */
  static String quoted(String text) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if ("\\.[](){}*+?|^$".indexOf(c) >= 0) {
        out.append('\\');
      }
      out.append(c);
    }
    return out.toString();
  }

  /** What differs, each once. */
  static List<String> distinct(List<String> notes) {
    return new ArrayList<>(new LinkedHashSet<>(notes));
  }
}
