package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.geo.MmdbWriter;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.forebay.testing.ScriptedOrigin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Loads each example of docs/RULES.md and asks what stands behind it. The origin answers every
 * request with a 200 whose fields {@code seen-NAME} repeat those of the request.
 */
@Timeout(120)
@Tag("slow")
final class RulesDocumentTest {
  private static final Pattern EXAMPLE =
      Pattern.compile("```yaml\\n(.*?)```\\s+```text\\n(.*?)```", Pattern.DOTALL);

  /** A file that examples name. */
  private static final Pattern FILE =
      Pattern.compile("```text ([a-z.]+)\\n(.*?)```", Pattern.DOTALL);

  @TempDir Path directory;

  private static void answer(ScriptedOrigin.Connection connection) throws IOException {
    while (true) {
      String head = connection.head();
      String[] lines = head.split("\r\n", -1);
      String[] words = lines[0].split(" ", -1);
      StringBuilder fields = new StringBuilder();
      fields.append("seen-target: ").append(words[1]).append("\r\n");
      for (int i = 1; i < lines.length; i++) {
        if (lines[i].indexOf(':') > 0) {
          fields.append("seen-").append(lines[i]).append("\r\n");
        }
      }
      boolean isMissing = words[1].contains("missing");
      connection.send(
          (isMissing ? "HTTP/1.1 404 Not Found\r\n" : "HTTP/1.1 200 OK\r\n")
              + "cache-control: max-age=60\r\ncontent-type: text/html\r\nx-powered-by: PHP\r\n"
              + "server: origin\r\n"
              + fields
              + "content-length: 2\r\n\r\n"
              + (words[0].equals("HEAD") ? "" : "ok"));
    }
  }

  @Tag("full")
  @Test
  void everyExampleDoesWhatThePageSays() throws Exception {
    String page = Files.readString(Path.of("../docs/RULES.md"));
    Map<String, Path> files = new HashMap<>();
    Matcher named = FILE.matcher(page);
    while (named.find()) {
      Path file = directory.resolve(named.group(1));
      files.put(named.group(1), Files.writeString(file, named.group(2)));
    }
    int examples = 0;
    new MmdbWriter("GeoLite2-Country")
        .country("127.0.0.0/8", "DE")
        .write(directory.resolve("GeoLite2-Country.mmdb"));
    new MmdbWriter("GeoLite2-ASN")
        .asn("192.0.2.0/24", 64500)
        .write(directory.resolve("GeoLite2-ASN.mmdb"));
    try (ScriptedOrigin origin = ScriptedOrigin.start()) {
      origin.serve(RulesDocumentTest::answer);
      String origins =
          "origins:\n  main: {url: \"URL\", keep-alive: 5s}\n  beta: {url: \"URL\", host: beta.example}\n"
              .replace("URL", origin.url());
      try (Edge edge = Edge.start(directory, "32MiB", Edge.origins(origin.url()))) {
        Matcher example = EXAMPLE.matcher(page);
        while (example.find()) {
          String yaml = example.group(1);
          for (Map.Entry<String, Path> file : files.entrySet()) {
            yaml = yaml.replace(file.getKey(), file.getValue().toString());
          }
          edge.configure(
              (origins
                      + (yaml.contains("origin:")
                          ? yaml
                          : yaml.replace("- rules:", "- origin: main\n    rules:")))
                  .replace("GeoLite2", directory + "/GeoLite2"));
          assertEquals(List.of(), edge.server().reload().errors(), yaml);
          List<String> asked = new ArrayList<>();
          for (String question : example.group(2).split("\n\n", -1)) {
            ask(edge, "example-" + examples + ".test", question.strip().split("\n", -1));
            asked.add(question);
          }
          assertTrue(!asked.isEmpty());
          examples++;
        }
      }
    }
    assertEquals(page.split("```yaml", -1).length - 1, examples, "an example without questions");
  }

  private static void ask(Edge edge, String host, String[] lines) throws IOException {
    String[] request = lines[0].substring(2).split(" ", -1);
    List<String> fields = new ArrayList<>();
    int at = 1;
    while (lines[at].startsWith("> ")) {
      fields.add(lines[at++].substring(2));
    }
    if (fields.stream().noneMatch(field -> field.startsWith("Host:"))) {
      fields.addFirst("Host: " + host);
    }
    String question = String.join("\n", lines);
    try (RawClient client = edge.connect()) {
      client.request(request[0], request[1], fields.toArray(String[]::new));
      Response reply = client.reply(request[0].equals("HEAD"));
      assertEquals(Integer.parseInt(lines[at++].substring(2)), reply.status(), question);
      for (; at < lines.length; at++) {
        String[] field = lines[at].substring(2).split(": ", 2);
        List<String> values = reply.all(field[0]);
        if (field[1].equals("(none)")) {
          assertEquals(List.of(), values, question);
        } else if (field[1].endsWith("...")) {
          String begin = field[1].substring(0, field[1].length() - 3);
          assertTrue(
              values.stream().anyMatch(value -> value.startsWith(begin)),
              () -> question + "\n" + reply);
        } else {
          assertTrue(values.contains(field[1]), () -> question + "\n" + reply);
        }
      }
    }
    edge.awaitIdle();
  }
}
