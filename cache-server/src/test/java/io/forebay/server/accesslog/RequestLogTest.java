package io.forebay.server.accesslog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.forebay.server.config.LogConfig;
import io.forebay.server.ring.RingFiles;
import io.forebay.server.ring.RingReader;
import io.forebay.server.ring.RingRecord;
import io.forebay.server.ring.RingText;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the ring has of a request; the access log is off. */
final class RequestLogTest {
  @TempDir Path directory;

  private static AccessLog off() {
    return AccessLog.start(null, 1, 64);
  }

  private RingRecord written(FakeEvent event, LogConfig.Lines lines) throws IOException {
    try (RingFiles rings = RingFiles.open(directory, 1, 100_000, () -> 1);
        AccessLog log = off()) {
      RequestLog requestLog = new RequestLogs(log, rings, lines, 1).forLoop(0);
      assertTrue(requestLog.isEnabled());
      assertFalse(requestLog.hasLines());
      requestLog.record(event);
    }
    try (RingReader reader = RingReader.open(RingFiles.find(directory, false).getFirst())) {
      RingRecord record = reader.next();
      assertNotNull(record);
      assertNull(reader.next());
      return record;
    }
  }

  @Test
  void theRingHasTheFactsOfTheAccessLog() throws IOException {
    RingRecord record = written(new FakeEvent(), LogConfig.Lines.DEFAULT);
    assertEquals("https://a.example/p?q=1", record.url());
    assertEquals(1_772_600_767_089L, record.startMillis());
    assertEquals(200, record.status());
    assertEquals(12_345_678_901L, record.bytes());
    assertEquals(12_345, record.firstByteNanos());
    assertEquals(7_999, record.fetchNanos());
    assertEquals("hit", record.cacheName());
    assertEquals("192.0.2.7", record.text(RingText.CLIENT));
    assertEquals("HTTP/2", record.text(RingText.PROTOCOL));
    assertEquals("fresh", record.text(RingText.REASON));
    assertEquals("live", record.text(RingText.ROUTE));
    assertEquals("main", record.text(RingText.ORIGIN));
    assertEquals("id-1", record.text(RingText.REQUEST_ID));
    assertEquals("http://r/", record.text(RingText.REFERER));
    assertEquals("ua", record.text(RingText.USER_AGENT));
    assertEquals("CLIENT_STALLED", record.text(RingText.ABORT));
    assertFalse(record.isCut());
  }

  @Test
  void secretsAndAddressesAreHiddenAsInLines() throws IOException {
    FakeEvent event = new FakeEvent();
    event.query = "token=abc&q=1";
    event.referer = "http://r/?token=def";
    LogConfig.Lines lines =
        new LogConfig.Lines(LogConfig.Lines.JSON, List.of(), List.of("token"), 24, 48);
    RingRecord record = written(event, lines);
    assertEquals("token=***&q=1", record.text(RingText.QUERY));
    assertEquals("http://r/?token=***", record.text(RingText.REFERER));
    assertEquals("192.0.2.0", record.text(RingText.CLIENT));
  }

  @Test
  void aRecordAllocatesNothing() throws IOException {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (RingFiles rings = RingFiles.open(directory, 1, 100_000, () -> 1);
        AccessLog log = off()) {
      RequestLog requestLog = new RequestLogs(log, rings, LogConfig.Lines.DEFAULT, 1).forLoop(0);
      FakeEvent event = new FakeEvent();
      for (int i = 0; i < 50_000; i++) {
        requestLog.record(event);
      }
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 50_000; i++) {
        requestLog.record(event);
      }
      long allocated = threads.getCurrentThreadAllocatedBytes() - before;
      assertTrue(allocated < 4096, allocated + " bytes");
    }
  }

  @Test
  void withoutBothNothingIsNoted() {
    try (RingFiles rings = RingFiles.none();
        AccessLog log = off()) {
      RequestLog requestLog = new RequestLogs(log, rings, LogConfig.Lines.DEFAULT, 1).forLoop(0);
      assertFalse(requestLog.isEnabled());
      requestLog.record(new FakeEvent());
    }
  }
}
