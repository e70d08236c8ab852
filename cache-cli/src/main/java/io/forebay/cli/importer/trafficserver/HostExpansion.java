package io.forebay.cli.importer.trafficserver;

import io.forebay.cli.importer.model.UntranslatableException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Expressions on hosts as hosts of routes: those that stand for a few names become these, those
 * that begin with anything become {@code *.NAME}.
 */
final class HostExpansion {
  private static final int MAX_NAMES = 64;

  /** One label or several, in a group or not, before a domain. */
  private static final Pattern WILDCARD =
      Pattern.compile(
          "\\^?(\\()?(?:\\?:)?(\\.[*+]|\\[[^\\]]+][*+]|\\\\w[*+])(\\))?((?:\\\\?\\.[A-Za-z0-9-]+)+)\\$?");

  private HostExpansion() {}

  /**
   * A host that an expression stands for.
   *
   * @param captures what its groups hold, $0 first; null where this depends on the request
   * @param check what the host must be found in besides, or null
   */
  record Name(String host, @Nullable List<String> captures, @Nullable String check) {}

  /** The hosts of an expression; an empty name stands for all. */
  static List<Name> of(String expression) throws UntranslatableException {
    if (expression.matches("\\^?\\(?\\.[*+]\\)?\\$?")) {
      return List.of(new Name("", null, null));
    }
    Matcher wildcard = WILDCARD.matcher(expression);
    if (wildcard.matches() && (wildcard.group(1) == null) == (wildcard.group(3) == null)) {
      String domain = wildcard.group(4).replace("\\", "").toLowerCase(java.util.Locale.ROOT);
      boolean isAny = wildcard.group(2).startsWith(".");
      return List.of(new Name("*" + domain, null, isAny ? null : expression));
    }
    List<Name> names = new ArrayList<>();
    for (Part part : new Reader(expression).all()) {
      List<String> captures = new ArrayList<>(List.of(part.text()));
      captures.addAll(part.groups());
      names.add(new Name(part.text(), captures, null));
    }
    return names;
  }

  /** What a part of an expression stands for, and what its groups hold. */
  private record Part(String text, List<String> groups) {
    Part then(Part next) {
      List<String> both = new ArrayList<>(groups);
      both.addAll(next.groups);
      return new Part(text + next.text, both);
    }
  }

  /** Characters, groups of alternatives, and question marks behind these. */
  private static final class Reader {
    private final String text;
    private int at;

    Reader(String expression) {
      String start = expression.startsWith("^") ? expression.substring(1) : expression;
      text = start.endsWith("$") ? start.substring(0, start.length() - 1) : start;
    }

    List<Part> all() throws UntranslatableException {
      List<Part> parts = alternatives(0);
      if (at < text.length()) {
        throw endless();
      }
      return parts;
    }

    private static UntranslatableException endless() {
      return new UntranslatableException(
          "an expression on hosts that is neither a few names nor *.NAME: write a rule on host");
    }

    private List<Part> alternatives(int depth) throws UntranslatableException {
      List<Part> all = new ArrayList<>(sequence(depth));
      while (at < text.length() && text.charAt(at) == '|') {
        at++;
        all.addAll(sequence(depth));
      }
      return bounded(all);
    }

    private List<Part> sequence(int depth) throws UntranslatableException {
      List<Part> parts = List.of(new Part("", List.of()));
      while (at < text.length() && text.charAt(at) != '|' && text.charAt(at) != ')') {
        List<Part> next = atom(depth);
        List<Part> joined = new ArrayList<>();
        for (Part before : parts) {
          for (Part after : next) {
            joined.add(before.then(after));
          }
        }
        parts = bounded(joined);
      }
      return parts;
    }

    private List<Part> atom(int depth) throws UntranslatableException {
      char c = text.charAt(at++);
      List<Part> parts;
      if (c == '(') {
        boolean isGroup = !text.startsWith("?:", at);
        at += isGroup ? 0 : 2;
        if (depth == 4) {
          throw endless();
        }
        List<Part> inner = alternatives(depth + 1);
        if (at == text.length()) {
          throw endless();
        }
        at++;
        parts = isGroup ? inner.stream().map(Reader::captured).toList() : inner;
      } else if (c == '\\' && at < text.length() && ".-".indexOf(text.charAt(at)) >= 0) {
        parts = List.of(new Part(String.valueOf(text.charAt(at++)), List.of()));
      } else if (Character.isLetterOrDigit(c) || c == '-' || c == '.') {
        // A bare dot between names is meant for a dot.
        parts = List.of(new Part(String.valueOf(Character.toLowerCase(c)), List.of()));
      } else {
        throw endless();
      }
      if (at < text.length() && "*+{".indexOf(text.charAt(at)) >= 0) {
        throw endless();
      }
      if (at < text.length() && text.charAt(at) == '?') {
        at++;
        List<Part> optional = new ArrayList<>(parts);
        optional.add(new Part("", parts.getFirst().groups().stream().map(group -> "").toList()));
        return optional;
      }
      return parts;
    }

    private static Part captured(Part inner) {
      List<String> groups = new ArrayList<>(List.of(inner.text()));
      groups.addAll(inner.groups());
      return new Part(inner.text(), groups);
    }

    private static List<Part> bounded(List<Part> parts) throws UntranslatableException {
      if (parts.size() > MAX_NAMES) {
        throw endless();
      }
      return parts;
    }
  }
}
