package io.forebay.server.accesslog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.LogConfig;
import io.forebay.server.config.LogSampling;
import io.forebay.server.config.RouteLog;
import io.forebay.server.config.ServerConfig.AccessLogConfig;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.testing.Await;
import java.io.IOException;
import java.io.InputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The log as a whole: from lanes to files and receivers. */
@Timeout(120)
final class AccessLogSinksTest {
  @TempDir Path directory;

  private static AccessLog open(String output, LogConfig.Rotation rotation, int loops)
      throws IOException {
    return AccessLog.open(
        new AccessLogConfig(
            output,
            1024,
            new LogConfig.Lines("{bytes} {target}", List.of(), List.of(), 32, 128),
            rotation,
            LogConfig.Syslog.DEFAULT,
            LogSampling.NONE,
            0),
        loops);
  }

  /** Records until the lane has taken so many, numbered from the first. */
  private static void record(AccessLogRing lane, long first, int count) {
    FakeEvent event = new FakeEvent();
    event.path = "/" + "p".repeat(300);
    long number = first;
    while (number < first + count) {
      event.bytes = number;
      long before = lane.dropped();
      lane.record(event);
      if (lane.dropped() == before) {
        number++;
      } else {
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void rotationUnderLoadLosesAndDoublesNoLine() throws Exception {
    Path file = directory.resolve("access.log");
    int each = 20_000;
    AccessLog log =
        open(file.toString(), new LogConfig.Rotation(1 << 20, Duration.ZERO, 1000, true), 2);
    try (log) {
      Thread other = Thread.ofPlatform().start(() -> record(log.forLoop(1), each, each));
      record(log.forLoop(0), 0, each);
      other.join();
    }
    assertEquals(2L * each, log.written());
    Set<Long> numbers = new HashSet<>();
    long lines = 0;
    List<Path> files;
    try (Stream<Path> all = Files.list(directory)) {
      files = all.toList();
    }
    assertTrue(files.size() > 10, files.size() + " files");
    for (Path part : files) {
      try (InputStream in = Files.newInputStream(part);
          InputStream plain = part.toString().endsWith(".gz") ? new GZIPInputStream(in) : in) {
        for (String line :
            new String(plain.readAllBytes(), StandardCharsets.US_ASCII).lines().toList()) {
          assertTrue(line.endsWith("p?q=1"), line);
          numbers.add(Long.valueOf(line.substring(0, line.indexOf(' '))));
          lines++;
        }
      }
    }
    assertEquals(2L * each, lines);
    assertEquals(2 * each, numbers.size());
  }

  @Test
  void syslogGetsEveryLineInOrder() throws Exception {
    try (DatagramSocket receiver = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      AccessLog log =
          open("syslog+udp://127.0.0.1:" + receiver.getLocalPort(), LogConfig.Rotation.OFF, 1);
      try (log) {
        // No more than a socket's buffer takes.
        for (int i = 0; i < 50; i++) {
          record(log.forLoop(0), i, 1);
          DatagramPacket packet = new DatagramPacket(new byte[4096], 4096);
          receiver.receive(packet);
          String text =
              new String(packet.getData(), 0, packet.getLength(), StandardCharsets.US_ASCII);
          assertTrue(text.startsWith("<190>1 "), text);
          assertTrue(text.contains(" - - " + i + " /ppp"), text);
        }
      }
      assertEquals(50, log.written());
      assertEquals(0, log.dropped());
    }
  }

  @Test
  void aReceiverThatReadsNothingCostsLinesAndIsCounted() throws Exception {
    try (ServerSocket receiver = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      AccessLog log =
          open("syslog+tcp://127.0.0.1:" + receiver.getLocalPort(), LogConfig.Rotation.OFF, 1);
      long recorded = 0;
      try (log;
          Socket connection = accepted(receiver, log)) {
        recorded++;
        FakeEvent event = new FakeEvent();
        // Loops go on whatever the receiver does.
        while (log.dropped() < 1000) {
          event.bytes = recorded++;
          log.forLoop(0).record(event);
        }
        assertTrue(log.written() < recorded);
        // It reads again: what waited arrives, in order, each message whole.
        InputStream in = connection.getInputStream();
        long written = log.written();
        for (int i = 0; i < written; i++) {
          String text = message(in);
          assertTrue(text.startsWith("<190>1 ") && text.endsWith("p?q=1"), text);
        }
        Await.until("the rest is taken", () -> log.written() > written);
      }
      assertEquals(recorded, log.written() + log.dropped());
    }
  }

  private static Socket accepted(ServerSocket receiver, AccessLog log) throws IOException {
    record(log.forLoop(0), 0, 1);
    return receiver.accept();
  }

  private static String message(InputStream in) throws IOException {
    int length = 0;
    for (int c = in.read(); c != ' '; c = in.read()) {
      length = length * 10 + c - '0';
    }
    return new String(in.readNBytes(length), StandardCharsets.US_ASCII);
  }

  @Test
  void closingDoesNotWaitForAReceiverThatIsNotThere() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    AccessLog log = open("syslog+tcp://127.0.0.1:" + port, LogConfig.Rotation.OFF, 1);
    try (log) {
      record(log.forLoop(0), 0, 10);
    }
    assertEquals(0, log.written());
  }

  private static RouteLog sampled(LogSampling.Rule... rules) {
    return RouteLog.DEFAULT.with(new LogSampling("rules", List.of(rules)));
  }

  private static LogSampling.Rule rule(int from, int to, Set<CacheResult> caches, int keep) {
    BitSet statuses = new BitSet();
    statuses.set(from, to);
    return new LogSampling.Rule(null, statuses, caches, keep);
  }

  @Test
  void theSameIdsAreChosenEachTimeInAboutTheShareThatIsSaid() {
    AccessLogRing lane = new AccessLogRing(1 << 15);
    RouteLog rules =
        sampled(
            rule(500, 600, Set.of(), LogSampling.ALL),
            rule(100, 600, Set.of(CacheResult.HIT), 100));
    List<List<String>> rounds = new ArrayList<>();
    for (int round = 0; round < 2; round++) {
      FakeEvent event = new FakeEvent();
      event.rules = rules;
      for (int i = 0; i < 100_000; i++) {
        event.requestId = "19a-00-" + Integer.toHexString(i);
        lane.record(event);
      }
      List<String> chosen = new ArrayList<>();
      lane.drain(
          record -> {
            assertEquals(100, record.share);
            chosen.add(
                new String(
                    record.text,
                    AccessRecord.offset(AccessRecord.REQUEST_ID),
                    record.lengths[AccessRecord.REQUEST_ID],
                    StandardCharsets.US_ASCII));
            return true;
          },
          Integer.MAX_VALUE);
      rounds.add(chosen);
    }
    assertEquals(rounds.getFirst(), rounds.getLast());
    int count = rounds.getFirst().size();
    assertTrue(count > 800 && count < 1200, count + " of 100000");
  }

  @Test
  void theFirstRuleThatHoldsSaysAndThenTheRoute() {
    LogSampling.Rule errors = rule(500, 600, Set.of(), LogSampling.ALL);
    LogSampling.Rule hits = rule(0, 600, Set.of(CacheResult.HIT, CacheResult.STALE), 0);
    RouteLog rules = sampled(errors, hits);
    assertEquals(LogSampling.ALL, rules.share(0, 503, CacheResult.HIT));
    assertEquals(0, rules.share(0, 200, CacheResult.STALE));
    assertEquals(LogSampling.ALL, rules.share(0, 200, CacheResult.MISS));
    RouteLog ofRoute =
        new RouteLog(true, 10, List.of(), List.of(), Set.of())
            .with(new LogSampling("r", List.of(errors)));
    assertEquals(1000, ofRoute.share(0, 200, CacheResult.HIT));
    RouteLog off =
        new RouteLog(false, 100, List.of(), List.of(), Set.of())
            .with(new LogSampling("r", List.of(errors)));
    assertEquals(0, off.share(0, 500, CacheResult.MISS));
    assertFalse(LogSampling.NONE.isOn());
  }
}
