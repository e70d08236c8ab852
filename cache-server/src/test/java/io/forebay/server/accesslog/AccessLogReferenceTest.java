package io.forebay.server.accesslog;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.core.policy.Reason;
import io.forebay.server.config.LogConfig;
import io.forebay.server.config.RouteLog;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.http.TlsSession;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** {@code docs/ACCESS_LOG.md} names the fields that a line has, and every reason. */
final class AccessLogReferenceTest {
  /** Surefire runs tests in the module's directory. */
  private static final Path DOCUMENT = Path.of("..", "docs", "ACCESS_LOG.md");

  private static final String REASONS = "## Reasons\n";

  @Test
  void everyFieldIsDocumentedInTheOrderOfALine() throws IOException {
    AccessRecord record = new AccessRecord();
    record.epochMillis = 0;
    record.client = "192.0.2.1";
    record.method = "GET";
    record.scheme = "https";
    record.protocol = "HTTP/1.1";
    record.tls = new TlsSession("TLSv1.3", "cipher", "a.example", true, "t13");
    record.tunnelledBytes = 1;
    record.firstByteNanos = 1;
    record.fetchNanos = 1;
    record.rules = new RouteLog(true, 10, List.of("x-country"), List.of("content-type"), Set.of());
    record.extra = new byte[2 * RouteLog.MAX_HEADERS * AccessRecord.EXTRA_LENGTH];
    record.cache = CacheResult.HIT;
    record.reason = "miss-uri";
    record.route = "r";
    record.origin = "o";
    record.abort = "SHUTDOWN";
    record.coding = "br";
    record.isTruncated = true;
    record.cmcd = new byte[] {'{', '}'};
    record.cmcdLength = 2;
    record.share = 1000;
    Arrays.fill(record.lengths, (short) 0);
    byte[] line = new byte[AccessFormat.MAX_LINE_LENGTH];
    int length = AccessFormat.of(LogConfig.Lines.DEFAULT).append(line, 0, record);
    List<String> written =
        new ArrayList<>(
            JsonMapper.shared()
                .readTree(new String(line, 0, length, StandardCharsets.UTF_8))
                .propertyNames());
    String fields = Files.readString(DOCUMENT).split("\n## ", -1)[1];
    List<String> documented =
        Pattern.compile("^\\| `([a-z0-9_]+)` \\|", Pattern.MULTILINE)
            .matcher(fields)
            .results()
            .map(match -> match.group(1))
            .toList();
    assertEquals(written, documented);
  }

  @Test
  void everyCacheResultIsDocumented() throws IOException {
    String results = Files.readString(DOCUMENT).split("\n## ", -1)[2];
    List<String> documented =
        Pattern.compile("^\\| `([a-z]+)` \\|", Pattern.MULTILINE)
            .matcher(results)
            .results()
            .map(match -> match.group(1))
            .toList();
    List<String> all = new ArrayList<>();
    for (CacheResult result : CacheResult.values()) {
      all.add(result.name().toLowerCase(Locale.ROOT));
    }
    assertEquals(all, documented);
  }

  @Test
  void theReasonsAreUpToDate() throws IOException {
    String document = Files.readString(DOCUMENT);
    int start = document.indexOf(REASONS);
    String expected = document.substring(0, start) + reasons();
    if (Boolean.getBoolean("forebay.docs.write")) {
      Files.writeString(DOCUMENT, expected);
    }
    assertEquals(
        expected,
        Files.readString(DOCUMENT),
        "docs/ACCESS_LOG.md is stale; `./dev docs` writes it again");
  }

  private static String reasons() {
    StringBuilder text =
        new StringBuilder(REASONS)
            .append(
                """

                <!-- Made from Reason; AccessLogReferenceTest fails when it is stale. `./dev docs` writes it again. -->

                The columns `fwd` and `detail` are the parameters of `Cache-Status` (RFC 9211) for the same reason.

                | Reason | `fwd` | `detail` | Meaning |
                |---|---|---|---|
                """);
    for (Reason reason : Reason.values()) {
      text.append("| `").append(reason.label()).append("` | ");
      text.append(reason.fwd() == null ? "" : "`" + reason.fwd() + "`").append(" | ");
      text.append(reason.detail() == null ? "" : "`" + reason.detail() + "`").append(" | ");
      text.append(reason.explanation()).append(" |\n");
    }
    return text.toString();
  }
}
