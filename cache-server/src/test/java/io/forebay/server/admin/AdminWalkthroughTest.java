package io.forebay.server.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.accesslog.AccessLog;
import io.forebay.server.audit.AuditLog;
import io.forebay.server.config.ServerConfig.AccessLogConfig;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.counters.LoopCounters.MethodClass;
import io.forebay.server.metric.NodeMetrics;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs every command of docs/ADMIN.md as it stands there, in order, against a running API. */
@Timeout(120)
@Tag("full")
final class AdminWalkthroughTest {
  private static final Pattern COMMAND =
      Pattern.compile("```console\n\\$ (curl [^\n]+)\n(.*?)```", Pattern.DOTALL);

  @TempDir Path directory;

  @Test
  void everyCommandOfTheDocumentAnswersAsItSays() throws Exception {
    Assumptions.assumeTrue(hasCurl(), "curl is not installed: Debian package curl");
    String document = Files.readString(Path.of("..", "docs", "ADMIN.md"));
    try (EdgeFixture edge = new EdgeFixture();
        SmallStore store = new SmallStore(directory);
        AccessLog log = AccessLog.open(new AccessLogConfig("off", 64), 2)) {
      edge.has("www.example.com/live/master.m3u8", "#EXTM3U\n\n");
      FakeNode node = new FakeNode(Map.of()).listening(edge.listening()).stores(store);
      store.has("http://www.example.com/live/1.ts", "body");
      node.counters().getFirst().countRequest(MethodClass.GET, CacheResult.HIT, 200);
      try (NodeMetrics metrics = new NodeMetrics(node, log, () -> 0, "0.1.0");
          AdminServer admin = AdminServer.start(node, metrics, log, AuditLog.OFF, "0.1.0")) {
        int commands = 0;
        for (MatchResult found : COMMAND.matcher(document).results().toList()) {
          String output = run(found.group(1).replace(":8081", ":" + admin.port()));
          check(found.group(1), found.group(2), output);
          if (found.group(1).contains("/v1/warm -d")) {
            awaitJob(new RawHttp(admin.port()));
          }
          commands++;
        }
        assertEquals(34, commands);
      }
    }
  }

  private static void check(String command, String documented, String output) {
    if (!documented.isEmpty()) {
      sameShape(
          command, JsonMapper.shared().readTree(documented), JsonMapper.shared().readTree(output));
    } else if (command.endsWith("/metrics")) {
      assertTrue(output.contains("# TYPE forebay_requests_total counter\n"), output);
    } else {
      assertEquals(
          "127.0.0.1:0", JsonMapper.shared().readTree(output).at("/admin/address").stringValue());
    }
  }

  /** The same fields all the way down, of the same kinds; lists by their first element. */
  private static void sameShape(String path, JsonNode documented, JsonNode real) {
    if (documented.isNull() || real.isNull()) {
      return;
    }
    assertEquals(documented.getNodeType(), real.getNodeType(), path);
    if (documented.isObject()) {
      assertEquals(
          new TreeSet<>(documented.propertyNames()), new TreeSet<>(real.propertyNames()), path);
      for (String name : documented.propertyNames()) {
        sameShape(path + "/" + name, documented.get(name), real.get(name));
      }
    } else if (documented.isArray()) {
      assertEquals(documented.isEmpty(), real.isEmpty(), path);
      if (!documented.isEmpty()) {
        sameShape(path + "/0", documented.get(0), real.get(0));
      }
    }
  }

  private static void awaitJob(RawHttp http) throws IOException {
    while (http.get("/v1/warm/1").json().get("state").stringValue().equals("running")) {
      Thread.onSpinWait();
    }
  }

  private static String run(String command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder("/bin/sh", "-c", command + " --max-time 30 --noproxy '*'")
            .redirectErrorStream(true)
            .start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), () -> command + "\n" + output);
    return output;
  }

  private static boolean hasCurl() throws InterruptedException {
    try {
      return new ProcessBuilder("curl", "--version")
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
