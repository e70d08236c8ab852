package io.forebay.cli.importer.nginx;

import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportReport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What nginx compresses: nothing where no coding is on, and HTML alone unless it says more. */
final class CompressionImport {
  private static final List<String> CODINGS = List.of("gzip", "brotli", "zstd");
  private static final long DEFAULT_MIN = 20;

  private final ImportReport report;

  CompressionImport(ImportReport report) {
    this.report = report;
  }

  /** Adds the setting of a route with the statements that hold in a scope. */
  void of(DirectiveScope scope, Map<String, Object> route) {
    Set<String> types = new LinkedHashSet<>(List.of("text/html"));
    long min = -1;
    boolean isAny = false;
    for (String coding : CODINGS) {
      Directive enabled = scope.find(coding);
      if (enabled == null) {
        continue;
      }
      if (!enabled.argument(0).equals("on")) {
        report.taken(enabled);
        continue;
      }
      isAny = true;
      report.adapted(
          enabled,
          "br and zstd as well; not for Cookie or Authorization unless compress.private is on");
      types(scope.find(coding + "_types"), types);
      Directive length = scope.find(coding + "_min_length");
      long bytes = length == null ? DEFAULT_MIN : Units.bytes(length.argument(0));
      min = min < 0 ? bytes : Math.min(min, bytes);
      if (length != null) {
        report.taken(length);
      }
    }
    if (!isAny) {
      route.put("compress", "off");
      return;
    }
    Map<String, Object> compress = new LinkedHashMap<>();
    if (!types.contains("*")) {
      compress.put("types", new ArrayList<>(types));
    }
    compress.put("min", String.valueOf(Math.max(0, min)));
    route.put("compress", compress);
  }

  private void types(@Nullable Directive of, Set<String> types) {
    if (of == null) {
      return;
    }
    boolean isWhole = true;
    for (String type : of.arguments()) {
      String name = type.toLowerCase(Locale.ROOT);
      if (name.equals("*") || name.matches("[a-z0-9.+-]+/[a-z0-9.+-]+")) {
        types.add(name);
      } else {
        isWhole = false;
      }
    }
    if (of.arguments().contains("*")) {
      report.adapted(of, "text only, as compress.types has it: nothing else gets smaller");
    } else if (isWhole) {
      report.taken(of);
    } else {
      report.left(of, "something in it is no media type");
    }
  }
}
