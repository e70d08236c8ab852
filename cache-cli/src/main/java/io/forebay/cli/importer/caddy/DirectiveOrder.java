package io.forebay.cli.importer.caddy;

import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.UntranslatableException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** The order in which the handlers of a block are asked: by their names, then by their paths. */
final class DirectiveOrder {
  private final List<String> names =
      new ArrayList<>(
          List.of(
              "tracing",
              "map",
              "vars",
              "fs",
              "root",
              "log_append",
              "skip_log",
              "log_skip",
              "log_name",
              "header",
              "copy_response_headers",
              "request_body",
              "redir",
              "method",
              "rewrite",
              "uri",
              "try_files",
              "basicauth",
              "basic_auth",
              "forward_auth",
              "request_header",
              "encode",
              "push",
              "intercept",
              "templates",
              "invoke",
              "handle",
              "handle_path",
              "route",
              "abort",
              "error",
              "copy_response",
              "respond",
              "metrics",
              "reverse_proxy",
              "php_fastcgi",
              "file_server",
              "acme_server"));

  /** Names with one place among the others. */
  private static final Map<String, String> SAME =
      Map.of("handle_path", "handle", "log_skip", "skip_log", "basic_auth", "basicauth");

  boolean isHandler(String name) {
    return names.contains(name);
  }

  /** Takes the global option {@code order}. */
  void move(Directive of) throws UntranslatableException {
    String name = of.argument(0);
    String where = of.argument(1);
    String other = of.argument(2);
    if (!names.contains(name)) {
      throw new UntranslatableException(name + " is no directive the node has");
    }
    names.remove(name);
    int place =
        switch (where) {
          case "first" -> 0;
          case "last" -> names.size();
          case "before" -> names.indexOf(other);
          case "after" -> names.indexOf(other) + 1;
          default -> -1;
        };
    if (place < 0 || (where.equals("after") && place == 0)) {
      names.add(name);
      throw new UntranslatableException("first, last, before NAME or after NAME");
    }
    names.add(place, name);
  }

  /** A statement and the matcher that it has. */
  record Entry(Directive of, Matched matched) {}

  /** The handlers in their order. */
  List<Entry> sorted(List<Entry> handlers) {
    List<Entry> sorted = new ArrayList<>(handlers);
    sorted.sort(
        Comparator.<Entry>comparingInt(entry -> place(entry.of().name()))
            .thenComparingInt(entry -> -entry.matched().path().length())
            .thenComparing(entry -> entry.matched().isAll()));
    return sorted;
  }

  private int place(String name) {
    return names.indexOf(SAME.getOrDefault(name, name));
  }
}
