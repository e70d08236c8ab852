package io.forebay.cli.importer.vcl;

import io.forebay.cli.importer.model.UntranslatableException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** A condition of rules on a request and on its response, of which rules can be made. */
sealed interface Condition {
  /** Rules allow eight levels and 256 parts. */
  int MAX_DEPTH = 7;

  int MAX_SIZE = 200;

  record All(List<Condition> parts) implements Condition {}

  record Any(List<Condition> ways) implements Condition {}

  record Not(Condition inner) implements Condition {}

  /**
   * A condition of one key.
   *
   * @param isKeyed whether it depends on nothing but what every key has: host and path
   * @param expression the same as an expression of rules, or an empty text where there is none
   */
  record OnRequest(String key, Object value, boolean isKeyed, String expression)
      implements Condition {}

  /** A field of the response is there, or has such a value. */
  record OnResponse(String field, Object value, String expression) implements Condition {}

  /** The status of the response is one of these. */
  record OnStatus(BitSet statuses) implements Condition {
    static final int FIRST = 200;
    static final int END = 600;

    static OnStatus of(int from, int to) {
      BitSet statuses = new BitSet(END);
      statuses.set(Math.clamp(from, FIRST, END), Math.clamp(to, FIRST, END));
      return new OnStatus(statuses);
    }

    List<String> ranges() {
      List<String> ranges = new ArrayList<>();
      for (int from = statuses.nextSetBit(0); from >= 0; ) {
        int to = statuses.nextClearBit(from) - 1;
        ranges.add(from == to ? String.valueOf(from) : from + "-" + to);
        from = statuses.nextSetBit(to + 1);
      }
      return ranges;
    }

    String expression() {
      List<String> parts = new ArrayList<>();
      for (String range : ranges()) {
        String[] ends = range.split("-", -1);
        parts.add(
            ends.length == 1
                ? "response.status == " + range
                : "(response.status >= " + ends[0] + " && response.status <= " + ends[1] + ")");
      }
      return "(" + String.join(" || ", parts) + ")";
    }
  }

  /** The method is one of these. */
  record OnMethod(Set<String> methods) implements Condition {
    public OnMethod {
      methods = Set.copyOf(new java.util.TreeSet<>(methods));
    }

    List<String> sorted() {
      return methods.stream().sorted().toList();
    }
  }

  // --- algebra ----------------------------------------------------------------------------------

  /** Whatever the request is. */
  static Condition always() {
    return new All(List.of());
  }

  static Condition never() {
    return new Any(List.of());
  }

  static Condition all(List<Condition> parts) {
    Set<Condition> flat = new LinkedHashSet<>();
    Set<String> methods = null;
    Set<String> otherMethods = new LinkedHashSet<>();
    for (Condition part : parts) {
      for (Condition one : part instanceof All all ? all.parts() : List.of(part)) {
        if (one instanceof Not(OnMethod method)) {
          otherMethods.addAll(method.methods());
        } else if (one instanceof OnMethod method) {
          methods = methods == null ? new LinkedHashSet<>(method.methods()) : methods;
          methods.retainAll(method.methods());
        } else {
          flat.add(one);
        }
      }
    }
    if (methods != null) {
      methods.removeAll(otherMethods);
      if (methods.isEmpty()) {
        return never();
      }
      flat.add(new OnMethod(methods));
    } else if (!otherMethods.isEmpty()) {
      flat.add(new Not(new OnMethod(otherMethods)));
    }
    BitSet statuses = null;
    for (Condition one : List.copyOf(flat)) {
      if (one instanceof OnStatus status) {
        flat.remove(one);
        statuses = statuses == null ? (BitSet) status.statuses().clone() : statuses;
        statuses.and(status.statuses());
      }
    }
    if (statuses != null) {
      if (statuses.isEmpty()) {
        return never();
      }
      flat.add(new OnStatus(statuses));
    }
    if (flat.contains(never()) || flat.stream().anyMatch(one -> flat.contains(not(one)))) {
      return never();
    }
    // A part that another one implies says nothing.
    flat.removeIf(one -> one instanceof Any any && any.ways().stream().anyMatch(flat::contains));
    return flat.size() == 1 ? flat.iterator().next() : new All(List.copyOf(flat));
  }

  static Condition any(List<Condition> parts) {
    Set<Condition> flat = new LinkedHashSet<>();
    Set<String> methods = new LinkedHashSet<>();
    BitSet statuses = new BitSet();
    for (Condition part : parts) {
      for (Condition one : part instanceof Any any ? any.ways() : List.of(part)) {
        if (one instanceof OnMethod method) {
          methods.addAll(method.methods());
        } else if (one instanceof OnStatus status) {
          statuses.or(status.statuses());
        } else {
          flat.add(one);
        }
      }
    }
    if (!methods.isEmpty()) {
      flat.add(new OnMethod(methods));
    }
    if (!statuses.isEmpty()) {
      flat.add(new OnStatus(statuses));
    }
    if (flat.contains(always()) || flat.stream().anyMatch(one -> flat.contains(not(one)))) {
      return always();
    }
    return flat.size() == 1 ? flat.iterator().next() : new Any(List.copyOf(flat));
  }

  static Condition not(Condition of) {
    return switch (of) {
      case Not(Condition inner) -> inner;
      case All all when all.parts().isEmpty() -> never();
      case Any any when any.ways().isEmpty() -> always();
      case OnStatus status -> {
        BitSet others = (BitSet) status.statuses().clone();
        others.flip(OnStatus.FIRST, OnStatus.END);
        yield others.isEmpty() ? never() : new OnStatus(others);
      }
      // So that what is excluded can be compared with what holds.
      case Any any -> all(any.ways().stream().map(Condition::not).toList());
      default -> new Not(of);
    };
  }

  default Condition and(Condition other) {
    return all(List.of(this, other));
  }

  /** This one, but where one of the others holds; what cannot hold together is left out. */
  default Condition except(List<Condition> others) {
    List<Condition> own = parts();
    List<Condition> all = new ArrayList<>(own);
    for (Condition other : others) {
      if (and(other).equals(never())) {
        continue;
      }
      List<Condition> rest = new ArrayList<>(other.parts());
      rest.removeAll(own);
      all.add(not(all(rest)));
    }
    return all(all);
  }

  /**
   * A condition whose groups are those of an expression on the path: rules take them from the first
   * expression that is found. What is not a group stands below two {@code not}.
   */
  default Condition capturing(Condition captures) {
    if (captures.isAlways()) {
      return this;
    }
    List<Condition> all = new ArrayList<>(List.of(captures));
    for (Condition part : parts()) {
      if (part.isOnPath() && !part.equals(captures)) {
        if (!isBeginning(part, captures)) {
          all.add(new Not(new Not(part)));
        }
      } else {
        all.add(part);
      }
    }
    return all(all);
  }

  private boolean isOnPath() {
    return switch (this) {
      case All all -> all.parts().stream().anyMatch(Condition::isOnPath);
      case Any any -> any.ways().stream().anyMatch(Condition::isOnPath);
      case OnRequest one -> one.key().equals("path");
      default -> false;
    };
  }

  /** Whether whatever the other one is found in begins so. */
  private static boolean isBeginning(Condition part, Condition of) {
    return part instanceof OnRequest(String _, Object value, boolean _, String _)
        && value instanceof Map<?, ?> map
        && map.get("regex") instanceof String beginning
        && of instanceof OnRequest(String _, Object other, boolean _, String _)
        && other instanceof Map<?, ?> whole
        && whole.get("regex") instanceof String expression
        && beginning.matches("\\^/[A-Za-z0-9/_-]*")
        && expression.startsWith(beginning)
        && expression.indexOf('|') < 0
        && !expression.substring(beginning.length()).matches("(?s)[?*{].*");
  }

  /** What must hold together. */
  default List<Condition> parts() {
    return this instanceof All all ? all.parts() : List.of(this);
  }

  default boolean isAlways() {
    return equals(always());
  }

  default boolean isNever() {
    return equals(never());
  }

  /** Whether it depends on nothing but what every key has. */
  default boolean isKeyed() {
    return switch (this) {
      case All all -> all.parts().stream().allMatch(Condition::isKeyed);
      case Any any -> any.ways().stream().allMatch(Condition::isKeyed);
      case Not(Condition inner) -> inner.isKeyed();
      case OnRequest one -> one.isKeyed();
      // GET and HEAD share what is stored.
      case OnMethod method -> method.methods().contains("GET") == method.methods().contains("HEAD");
      case OnResponse _, OnStatus _ -> false;
    };
  }

  default boolean isOnResponse() {
    return switch (this) {
      case All all -> all.parts().stream().anyMatch(Condition::isOnResponse);
      case Any any -> any.ways().stream().anyMatch(Condition::isOnResponse);
      case Not(Condition inner) -> inner.isOnResponse();
      case OnResponse _, OnStatus _ -> true;
      case OnRequest _, OnMethod _ -> false;
    };
  }

  /** Whether it holds for no request that could be answered from a cache. */
  default boolean isForOtherMethods() {
    return parts().stream()
        .anyMatch(part ->
            switch (part) {
              case Not(OnMethod one) -> one.methods().containsAll(Set.of("GET", "HEAD"));
              case OnMethod one ->
                  !one.methods().contains("GET") && !one.methods().contains("HEAD");
              default -> false;
            });
  }

  // --- as rules have it -------------------------------------------------------------------------

  /** The condition on the request, as {@code when} has it. */
  default Map<String, Object> when() {
    return switch (this) {
      case All all -> merged(all.parts());
      case Any any when any.ways().isEmpty() ->
          // Nothing holds for it.
          Map.of("method", List.of("X-NEVER"));
      case Any any -> Map.of("any", any.ways().stream().map(Condition::when).toList());
      case Not(Condition inner) -> Map.of("not", inner.when());
      case OnRequest one -> Map.of(one.key(), one.value());
      case OnMethod method -> Map.of("method", method.sorted());
      case OnResponse _, OnStatus _ -> throw new IllegalStateException("not of a request: " + this);
    };
  }

  private static Map<String, Object> merged(List<Condition> parts) {
    List<Condition> excluded = new ArrayList<>();
    List<Condition> rest = new ArrayList<>();
    for (Condition part : parts) {
      if (part instanceof Not(Condition inner)) {
        excluded.add(inner);
      } else {
        rest.add(part);
      }
    }
    List<Map<String, Object>> maps = new ArrayList<>();
    rest.forEach(part -> maps.add(part.when()));
    if (!excluded.isEmpty()) {
      maps.add(Map.of("not", any(excluded).when()));
    }
    Map<String, Object> merged = new LinkedHashMap<>();
    List<Map<String, Object>> others = new ArrayList<>();
    for (Map<String, Object> map : maps) {
      if (map.keySet().stream().anyMatch(merged::containsKey)) {
        others.add(map);
      } else {
        merged.putAll(map);
      }
    }
    if (!others.isEmpty()) {
      // Beside the keys of the mapping, what has one of them again.
      others.addFirst(new LinkedHashMap<>(merged));
      return Map.of("all", others);
    }
    return merged;
  }

  /** The same as an expression. */
  default String cel() throws UntranslatableException {
    return switch (this) {
      case All all -> joined(all.parts(), " && ");
      case Any any -> joined(any.ways(), " || ");
      case Not(Condition inner) -> "!(" + inner.cel() + ")";
      case OnRequest one -> given(one.expression());
      case OnResponse one -> given(one.expression());
      case OnStatus status -> status.expression();
      case OnMethod method ->
          method.sorted().stream()
              .map(name -> "request.method == " + Cel.text(name))
              .collect(Collectors.joining(" || ", "(", ")"));
    };
  }

  private static String given(String cel) throws UntranslatableException {
    if (cel.isEmpty()) {
      throw new UntranslatableException("expressions know nothing of networks");
    }
    return cel;
  }

  private static String joined(List<Condition> parts, String operator)
      throws UntranslatableException {
    List<String> texts = new ArrayList<>();
    for (Condition part : parts) {
      texts.add(part.cel());
    }
    return "(" + String.join(operator, texts) + ")";
  }

  /** The part on the request. */
  default Condition ofRequest() {
    return all(parts().stream().filter(part -> !part.isOnResponse()).toList());
  }

  /**
   * The part on the response, as {@code response} has it; empty where there is none.
   *
   * @param mayUseCel whether it can be an expression, as for rules about storing alone
   */
  default Map<String, Object> response(boolean mayUseCel) throws UntranslatableException {
    List<Condition> own = parts().stream().filter(Condition::isOnResponse).toList();
    Map<String, Object> response = new LinkedHashMap<>();
    Map<String, Object> fields = new LinkedHashMap<>();
    boolean isPlain = true;
    for (Condition part : own) {
      switch (part) {
        case OnStatus status -> response.put("status", status.ranges());
        case OnResponse one when !fields.containsKey(one.field()) ->
            fields.put(one.field(), one.value());
        default -> isPlain = false;
      }
    }
    if (isPlain) {
      if (!fields.isEmpty()) {
        response.put("header", fields);
      }
      return response;
    }
    if (!mayUseCel) {
      throw new UntranslatableException(
          "changes of fields have no such condition on the response, only that all of some hold");
    }
    String cel = all(own).cel();
    if (cel.length() > Cel.MAX_LENGTH) {
      throw new UntranslatableException("the condition is too long");
    }
    return Map.of("expression", cel);
  }

  default int depth() {
    return switch (this) {
      case All all -> 1 + all.parts().stream().mapToInt(Condition::depth).max().orElse(0);
      case Any any -> 1 + any.ways().stream().mapToInt(Condition::depth).max().orElse(0);
      case Not(Condition inner) -> 1 + inner.depth();
      default -> 0;
    };
  }

  default int size() {
    return switch (this) {
      case All all -> all.parts().stream().mapToInt(Condition::size).sum();
      case Any any -> any.ways().stream().mapToInt(Condition::size).sum();
      case Not(Condition inner) -> inner.size();
      default -> 1;
    };
  }

  /** Whether rules can have it. */
  default boolean fits() {
    return depth() <= MAX_DEPTH - 2 && size() <= MAX_SIZE;
  }
}
