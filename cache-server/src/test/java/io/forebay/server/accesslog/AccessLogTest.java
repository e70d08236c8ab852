package io.forebay.server.accesslog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.forebay.server.config.LogConfig;
import io.forebay.server.config.LogSampling;
import io.forebay.server.config.ServerConfig.AccessLogConfig;
import io.forebay.server.http.TlsSession;
import io.forebay.server.logsink.LogOutput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@Timeout(60)
final class AccessLogTest {
  @TempDir Path directory;

  @Test
  void writesOneJsonLineARequest() {
    MemoryOutput output = new MemoryOutput();
    try (AccessLog log = AccessLog.start(output, 1, 64)) {
      assertTrue(log.forLoop(0).isEnabled());
      log.forLoop(0).record(new FakeEvent());
    }
    assertEquals(
        "{\"v\":1,\"ts\":\"2026-03-04T05:06:07.089Z\",\"request_id\":\"id-1\","
            + "\"traceparent\":\"00-ab-cd-01\",\"client\":\"192.0.2.7\",\"method\":\"GET\","
            + "\"scheme\":\"https\",\"host\":\"a.example\",\"target\":\"/p?q=1\","
            + "\"protocol\":\"HTTP/2\",\"status\":200,\"bytes\":12345678901,\"duration_us\":1500,"
            + "\"first_byte_us\":12,\"cache\":\"hit\",\"reason\":\"fresh\",\"route\":\"live\","
            + "\"origin\":\"main\",\"fetch_us\":7,\"referer\":\"http://r/\",\"user_agent\":\"ua\","
            + "\"abort\":\"CLIENT_STALLED\"}\n",
        output.text());
  }

  @Test
  void saysWhatTheHandshakeCameToBetweenProtocolAndStatus() {
    FakeEvent event = new FakeEvent();
    event.tls = new TlsSession("TLSv1.3", "TLS_AES_128_GCM_SHA256", "n".repeat(300), true);
    JsonNode line = written(event);
    assertEquals(
        List.of("protocol", "tls", "cipher", "sni", "resumed", "status"),
        List.copyOf(line.propertyNames()).subList(9, 15));
    assertEquals("TLS_AES_128_GCM_SHA256", line.get("cipher").asString());
    assertEquals("n".repeat(256), line.get("sni").asString());
    assertTrue(line.get("resumed").asBoolean());
    event.tls = new TlsSession("TLSv1.3", "TLS_AES_128_GCM_SHA256", null, null);
    line = written(event);
    assertEquals("TLSv1.3", line.get("tls").asString());
    assertFalse(line.has("sni") || line.has("resumed"), line.toString());
  }

  @Test
  void leavesOutWhatIsNotThere() {
    FakeEvent event = new FakeEvent();
    event.requestId = null;
    event.traceparent = null;
    event.query = null;
    event.firstByteNanos = -1;
    event.fetchNanos = -1;
    event.referer = null;
    event.userAgent = null;
    event.optional = null;
    event.status = 0;
    event.bytes = 0;
    JsonNode line = written(event);
    assertEquals(
        List.of(
            "v",
            "ts",
            "client",
            "method",
            "scheme",
            "host",
            "target",
            "protocol",
            "status",
            "bytes",
            "duration_us",
            "cache"),
        new ArrayList<>(line.propertyNames()));
    assertEquals("/p", line.get("target").stringValue());
  }

  @Test
  void everyByteComesBackAsItWasSent() {
    StringBuilder all = new StringBuilder();
    for (char c = 0; c < 256; c++) {
      all.append(c);
    }
    FakeEvent event = new FakeEvent();
    event.path = "/" + all;
    event.query = all;
    event.referer = all;
    event.userAgent = all;
    event.host = all;
    event.optional = all.substring(0, 128);
    JsonNode line = written(event);
    assertEquals("/" + all + "?" + all, line.get("target").stringValue());
    assertEquals(all.toString(), line.get("referer").stringValue());
    assertEquals(all.toString(), line.get("user_agent").stringValue());
    assertEquals(all.toString(), line.get("host").stringValue());
    assertEquals(all.substring(0, 128), line.get("reason").stringValue());
    assertNull(line.get("truncated"));
  }

  @Test
  void boundsEveryTextAndSaysSo() {
    String huge = "\u0001".repeat(100_000);
    FakeEvent event = new FakeEvent();
    event.requestId = huge;
    event.traceparent = huge;
    event.host = huge;
    event.path = huge;
    event.query = huge;
    event.referer = huge;
    event.userAgent = huge;
    event.optional = huge;
    event.client = huge;
    event.method = huge;
    AccessRecord record = new AccessRecord();
    record.fill(event, LogSampling.ALL);
    byte[] out = new byte[AccessFormat.MAX_LINE_LENGTH];
    int length = AccessFormat.of(LogConfig.Lines.DEFAULT).append(out, 0, record);
    JsonNode line =
        JsonMapper.shared().readTree(new String(out, 0, length, StandardCharsets.UTF_8));
    assertTrue(line.get("truncated").booleanValue());
    assertEquals(1024 + 1 + 512, line.get("target").stringValue().length());
    assertEquals(128, line.get("method").stringValue().length());
  }

  @Test
  void keepsTheOrderOfALoopOverMoreLinesThanTheRingHolds() {
    MemoryOutput output = new MemoryOutput();
    int lines = 20_000;
    try (AccessLog log = AccessLog.start(output, 2, 32)) {
      AccessLogRing lane = log.forLoop(1);
      FakeEvent event = new FakeEvent();
      long recorded = 0;
      while (recorded < lines) {
        event.bytes = recorded;
        long droppedBefore = lane.dropped();
        lane.record(event);
        if (lane.dropped() == droppedBefore) {
          recorded++;
        } else {
          Thread.onSpinWait();
        }
      }
    }
    String[] written = output.text().split("\n", -1);
    assertEquals(lines + 1, written.length);
    for (int i = 0; i < lines; i++) {
      assertTrue(written[i].contains("\"bytes\":" + i + ","), written[i]);
    }
  }

  @Test
  void dropsAndCountsWhileTheOutputIsStalled() throws InterruptedException {
    CountDownLatch isBlocked = new CountDownLatch(1);
    CountDownLatch mayGoOn = new CountDownLatch(1);
    MemoryOutput output =
        new MemoryOutput() {
          @Override
          public boolean write(ByteBuffer lines) throws IOException {
            isBlocked.countDown();
            try {
              mayGoOn.await();
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
            return super.write(lines);
          }
        };
    AccessLog log = AccessLog.start(output, 1, 64);
    try (log) {
      AccessLogRing lane = log.forLoop(0);
      lane.record(new FakeEvent());
      isBlocked.await();
      // The writer holds the first line and is stuck; the ring takes 64 more.
      for (int i = 0; i < 100; i++) {
        lane.record(new FakeEvent());
      }
      assertEquals(36, log.dropped());
      mayGoOn.countDown();
    }
    assertEquals(65, log.written());
    assertEquals(36, log.dropped());
  }

  @Test
  void countsWhatAFullDiskLostAndGoesOnAfterwards() {
    MemoryOutput output =
        new MemoryOutput() {
          private int calls;

          @Override
          public boolean write(ByteBuffer lines) throws IOException {
            if (calls++ == 0) {
              lines.get();
              bytes.write('{');
              throw new IOException("No space left on device");
            }
            return super.write(lines);
          }
        };
    AccessLog log = AccessLog.start(output, 1, 64);
    try (log) {
      log.forLoop(0).record(new FakeEvent());
      while (log.dropped() == 0) {
        Thread.onSpinWait();
      }
      log.forLoop(0).record(new FakeEvent());
    }
    assertEquals(1, log.dropped());
    assertEquals(1, log.written());
    String[] lines = output.text().split("\n", -1);
    // The cut line stays alone on its own.
    assertEquals("{", lines[0]);
    assertEquals(200, JsonMapper.shared().readTree(lines[1]).get("status").intValue());
  }

  @Test
  void opensTheFileAgainAfterARotation() throws IOException {
    Path file = directory.resolve("access.json");
    Path rotated = directory.resolve("access.json.1");
    AccessLog log = AccessLog.open(new AccessLogConfig(file.toString(), 64), 1);
    try (log) {
      log.forLoop(0).record(new FakeEvent());
      while (log.written() == 0) {
        Thread.onSpinWait();
      }
      Files.move(file, rotated);
      log.reopen();
      while (!Files.exists(file)) {
        Thread.onSpinWait();
      }
      log.forLoop(0).record(new FakeEvent());
    }
    assertEquals(1, Files.readAllLines(rotated).size());
    assertEquals(1, Files.readAllLines(file).size());
    assertEquals(2, log.written());
  }

  @Test
  void keepsTheOldFileWhenTheNewOneCannotBeOpened() throws IOException {
    Path sub = Files.createDirectory(directory.resolve("sub"));
    Path file = sub.resolve("access.json");
    AccessLog log = AccessLog.open(new AccessLogConfig(file.toString(), 64), 1);
    Path moved = directory.resolve("moved");
    try (log) {
      Files.move(sub, moved);
      log.reopen();
      log.forLoop(0).record(new FakeEvent());
    }
    assertEquals(1, Files.readAllLines(moved.resolve("access.json")).size());
  }

  @Test
  void recordingAllocatesNothingOnceItsRecordsAreThere() {
    MemoryOutput output = new MemoryOutput();
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (AccessLog log = AccessLog.start(output, 1, 1024)) {
      AccessLogRing lane = log.forLoop(0);
      FakeEvent event = new FakeEvent();
      for (int i = 0; i < 100_000; i++) {
        lane.record(event);
      }
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 100_000; i++) {
        lane.record(event);
      }
      long allocated = threads.getCurrentThreadAllocatedBytes() - before;
      assertTrue(allocated < 4096, allocated + " bytes");
    }
  }

  @Test
  void offCostsNothing() throws IOException {
    try (AccessLog log = AccessLog.open(new AccessLogConfig("off", 64), 4)) {
      AccessLogRing lane = log.forLoop(3);
      assertFalse(lane.isEnabled());
      assertSame(AccessLogRing.OFF, lane);
      lane.record(new FakeEvent());
      assertEquals(0, log.written());
      assertEquals(0, log.dropped());
    }
  }

  private static JsonNode written(FakeEvent event) {
    MemoryOutput output = new MemoryOutput();
    try (AccessLog log = AccessLog.start(output, 1, 64)) {
      log.forLoop(0).record(event);
    }
    String text = output.text();
    assertEquals(text.length() - 1, text.indexOf('\n'));
    return JsonMapper.shared().readTree(text);
  }

  /** Read by the test after the log is closed, which joins the writer. */
  private static class MemoryOutput implements LogOutput {
    final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    @Override
    public boolean write(ByteBuffer lines) throws IOException {
      byte[] copy = new byte[lines.remaining()];
      lines.get(copy);
      bytes.writeBytes(copy);
      return true;
    }

    @Override
    public void reopen() {}

    @Override
    public void close() {}

    String text() {
      return bytes.toString(StandardCharsets.UTF_8);
    }
  }
}
