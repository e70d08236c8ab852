package io.forebay.cli.warm;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** Options of {@code warm} that say which URLs are popular: access logs, and another node. */
final class WarmSources {
  private static final int MAX_TOP = 100_000;

  /** What a node lists at most. */
  private static final int MAX_HOT = 10_000;

  @Option(
      names = "--access-log",
      paramLabel = "FILE",
      description =
          "Access log whose URLs to warm, the most requested first: of Forebay (JSON), or in the"
              + " common or combined format; gzipped or not; '-' for standard input.")
  private List<String> logs = new ArrayList<>();

  @Option(
      names = "--log-base",
      paramLabel = "URL",
      description = "Scheme and host of log lines that have none, such as https://www.example.com.")
  private @Nullable String base;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description = "Count log lines since then only: an age (30m, 6h, 2d), or a time in RFC 3339.")
  private @Nullable String since;

  @Option(
      names = "--from-node",
      paramLabel = "URL",
      description =
          "Admin API of another node; the URLs that it is asked for most are warmed here, the"
              + " hottest first.")
  private @Nullable String node;

  @Option(
      names = "--from-token-file",
      paramLabel = "FILE",
      description = "File whose first line is the admin token of that node.")
  private @Nullable Path tokenFile;

  @Option(
      names = "--top",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Maximum number of URLs from access logs, and from another node; default 1000.")
  private int top;

  WarmSources() {}

  boolean isEmpty() {
    return logs.isEmpty() && node == null;
  }

  /** Adds what the sources name, each in its order. */
  void addTo(UrlList list, Output output) throws IOException {
    if (top < 1 || top > MAX_TOP) {
      throw new CommandException(ExitCode.USAGE, "--top must be between 1 and " + MAX_TOP);
    }
    if (base != null && !base.matches("https?://[^/?#\\s]+")) {
      throw new CommandException(
          ExitCode.USAGE, "--log-base '" + base + "' must look like https://www.example.com");
    }
    if (!logs.isEmpty()) {
      addLogs(list, output);
    }
    if (node != null) {
      addHot(list, node);
    }
  }

  private void addLogs(UrlList list, Output output) throws IOException {
    FrequentUrls urls = new FrequentUrls();
    AccessLogReader reader =
        new AccessLogReader(urls, base, since == null ? null : instant(since, Instant.now()));
    for (String file : logs) {
      try {
        reader.read(file);
      } catch (IOException unreadable) {
        throw new CommandException(
            ExitCode.USAGE, "--access-log " + file + ": " + reason(file, unreadable), unreadable);
      }
    }
    if (urls.hasForgotten()) {
      output.note("forebay: the logs have more URLs than are counted; rare ones were left out");
    }
    for (String url : urls.top(top)) {
      list.add(url, "access log");
    }
  }

  private static String reason(String file, IOException unreadable) {
    if (unreadable instanceof NoSuchFileException) {
      return "no such file";
    }
    return Files.isDirectory(Path.of(file))
        ? "is a directory"
        : "cannot be read: " + CommandException.reason(unreadable);
  }

  private void addHot(UrlList list, String url) {
    try (AdminClient client = AdminOptions.client(url, tokenFile)) {
      JsonNode hot = client.get("/v1/store/hot?limit=" + Math.min(top, MAX_HOT));
      for (JsonNode one : hot.path("objects")) {
        list.add(one.path("url").asString(""), "--from-node");
      }
    }
  }

  /** A time that is so long ago, or that time. */
  static Instant instant(String text, Instant now) {
    try {
      if (text.matches("\\d{1,6}[smhd]")) {
        long count = Long.parseLong(text.substring(0, text.length() - 1));
        return now.minus(
            switch (text.charAt(text.length() - 1)) {
              case 's' -> Duration.ofSeconds(count);
              case 'm' -> Duration.ofMinutes(count);
              case 'h' -> Duration.ofHours(count);
              default -> Duration.ofDays(count);
            });
      }
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw new CommandException(
          ExitCode.USAGE,
          "--since '"
              + text
              + "' must be an age such as 6h, or a time such as 2026-01-31T12:00:00Z",
          e);
    }
  }
}
