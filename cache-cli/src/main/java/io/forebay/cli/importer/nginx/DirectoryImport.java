package io.forebay.cli.importer.nginx;

import io.forebay.cli.importer.model.ConfigDraft;
import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportReport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Files that nginx serves itself, as origins that are directories. */
final class DirectoryImport {
  /** What relative directories begin at in packages of Debian and others. */
  private static final Path PREFIX = Path.of("/usr/share/nginx");

  /** Codings of what lies beside files, by the statements that say so; the preferred one first. */
  private static final Map<String, String> PRECOMPRESSED = new LinkedHashMap<>();

  static {
    PRECOMPRESSED.put("brotli_static", "br");
    PRECOMPRESSED.put("zstd_static", "zstd");
    PRECOMPRESSED.put("gzip_static", "gzip");
  }

  /** Of try_files, what a directory does by itself. */
  private static final Set<String> TRIED = Set.of("$uri", "$uri/", "=404");

  private final ImportReport report;
  private final ConfigDraft draft;

  DirectoryImport(ImportReport report, ConfigDraft draft) {
    this.report = report;
    this.draft = draft;
  }

  /**
   * The origin that has the files of a location, or null where it has none.
   *
   * @param prefix what its paths begin with, or null
   * @param rules gets what the origin is asked otherwise
   */
  @Nullable String of(
      DirectiveScope scope, @Nullable String prefix, List<Map<String, Object>> rules) {
    Directive alias = scope.own("alias").isEmpty() ? null : scope.own("alias").getLast();
    Directive named = alias == null ? scope.find("root") : alias;
    if (named == null) {
      return null;
    }
    String directory = named.argument(0);
    boolean isPrefixCut = alias != null && !directory.equals(prefix);
    boolean isWhole = prefix != null && prefix.endsWith("/") && directory.endsWith("/");
    if (directory.isEmpty() || directory.indexOf('$') >= 0 || (isPrefixCut && !isWhole)) {
      report.left(named, "a directory that depends on the request");
      return null;
    }
    report.taken(named);
    Map<String, Object> files = new LinkedHashMap<>();
    files.put("directory", PREFIX.resolve(directory).normalize().toString());
    Directive index = scope.find("index");
    if (index != null) {
      index(index, files);
    }
    files.put("cache-control", "none");
    precompressed(scope, files);
    others(scope);
    if (isPrefixCut && prefix != null && prefix.length() > 1) {
      String cut = prefix.substring(0, prefix.length() - 1);
      rules.add(new LinkedHashMap<>(Map.of("rewrite", Map.of("strip-prefix", cut))));
    }
    return draft.origin("files", new LinkedHashMap<>(Map.of("files", files)));
  }

  private void index(Directive of, Map<String, Object> files) {
    String first = of.argument(0);
    if (!first.matches("[A-Za-z0-9._-]{1,255}")) {
      report.left(of, "an index that is no plain name");
      return;
    }
    if (!first.equals("index.html")) {
      files.put("index", first);
    }
    if (of.arguments().size() == 1) {
      report.taken(of);
    } else {
      report.adapted(of, "a directory has one index: the first");
    }
  }

  /** Files that lie compressed beside others. */
  private void precompressed(DirectiveScope scope, Map<String, Object> files) {
    List<String> codings = new ArrayList<>();
    for (Map.Entry<String, String> each : PRECOMPRESSED.entrySet()) {
      Directive of = scope.find(each.getKey());
      if (of == null) {
        continue;
      }
      switch (of.argument(0)) {
        case "on" -> {
          codings.add(each.getValue());
          report.taken(of);
        }
        case "always" -> {
          codings.add(each.getValue());
          report.adapted(of, "for clients that accept it");
        }
        default -> report.taken(of);
      }
    }
    if (!codings.isEmpty()) {
      files.put("precompressed", codings);
    }
  }

  private void others(DirectiveScope scope) {
    Directive tried = scope.find("try_files");
    if (tried != null) {
      if (TRIED.containsAll(tried.arguments())) {
        report.taken(tried);
      } else {
        report.left(tried, "what is not there is answered with 404");
      }
    }
    Directive listing = scope.find("autoindex");
    if (listing != null) {
      if (listing.argument(0).equals("off")) {
        report.taken(listing);
      } else {
        report.left(listing, "directories are not listed");
      }
    }
  }
}
