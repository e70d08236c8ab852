package io.forebay.server.systemd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.NotifyReceiver;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Over datagram sockets, at whose other end systemd would be. */
@Timeout(60)
final class ServiceManagerTest {
  private static final long PID = 4711;
  private static final int CLOCK_MONOTONIC = 1;

  @TempDir Path directory;

  private static ServiceManager manager(String place, Map<String, String> more) {
    Map<String, String> environment = new HashMap<>(more);
    environment.put("NOTIFY_SOCKET", place);
    return ServiceManager.of(environment, PID, System::nanoTime);
  }

  private NotifyReceiver receiver() throws Exception {
    return NotifyReceiver.bind(directory.resolve("notify").toString());
  }

  @Test
  void whatANodeGoesThroughIsToldInItsOrder() throws Exception {
    try (NotifyReceiver systemd = receiver();
        ServiceManager manager = manager(systemd.place(), Map.of())) {
      manager.ready("serving on http 127.0.0.1:80", List.of());
      manager.reloading();
      manager.reloaded("reload refused:\n\tno such key");
      manager.stopping(Duration.ofSeconds(95));

      assertEquals("READY=1\nSTATUS=serving on http 127.0.0.1:80", systemd.next());
      assertTrue(systemd.next().matches("RELOADING=1\nMONOTONIC_USEC=\\d+\nSTATUS=reloading"));
      assertEquals("READY=1\nSTATUS=reload refused: no such key", systemd.next());
      assertEquals(
          "STOPPING=1\nEXTEND_TIMEOUT_USEC=95000000\n"
              + "STATUS=stopping, requests in progress are finished",
          systemd.next());
    }
  }

  @Test
  void theSocketMayHaveANameInTheAbstractNamespace() throws Exception {
    try (NotifyReceiver systemd = NotifyReceiver.bind("@forebay-" + directory.hashCode());
        ServiceManager manager = manager(systemd.place(), Map.of())) {
      manager.ready("ok", List.of());

      assertEquals("READY=1\nSTATUS=ok", systemd.next());
    }
  }

  /** By the kernel's clock, which systemd compares it with. */
  @Test
  void aReloadSaysWhenItBegan() throws Throwable {
    try (NotifyReceiver systemd = receiver();
        ServiceManager manager =
            ServiceManager.of(Map.of("NOTIFY_SOCKET", systemd.place()), PID, System::nanoTime)) {
      long before = monotonicMicros();
      manager.reloading();
      long after = monotonicMicros();

      long told = Long.parseLong(systemd.next().lines().toList().get(1).substring(15));
      assertTrue(before <= told && told <= after, before + " " + told + " " + after);
    }
  }

  @SuppressWarnings("restricted") // A function of libc, called as it is declared.
  private static long monotonicMicros() throws Throwable {
    Linker linker = Linker.nativeLinker();
    var clock =
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("clock_gettime"),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment time = arena.allocate(ValueLayout.JAVA_LONG, 2);
      assertEquals(0, (int) clock.invokeExact(CLOCK_MONOTONIC, time));
      return time.getAtIndex(ValueLayout.JAVA_LONG, 0) * 1_000_000
          + time.getAtIndex(ValueLayout.JAVA_LONG, 1) / 1_000;
    }
  }

  @Test
  void theWatchdogIsFedWhileEveryLoopAnswers() throws Exception {
    try (NotifyReceiver systemd = receiver();
        ServiceManager manager = manager(systemd.place(), Map.of())) {
      List<Runnable> asked = new ArrayList<>();
      Executor loop = asked::add;
      LoopWatch watch = new LoopWatch(List.of(Runnable::run, loop));

      assertFalse(manager.beat(watch), "nobody was asked before the first beat");
      assertFalse(manager.beat(watch), "one loop has not answered");
      assertFalse(manager.beat(watch));
      assertEquals(1, asked.size(), "a loop that is stuck is asked once");
      asked.removeFirst().run();
      assertTrue(manager.beat(watch));
      assertEquals("WATCHDOG=1", systemd.next());
      assertFalse(manager.beat(watch));

      // What follows is the first message after the only feeding.
      manager.stopping(Duration.ofSeconds(1));
      assertTrue(systemd.next().startsWith("STOPPING=1\n"));
    }
  }

  @Test
  void aLoopThatHasEndedAnswersNoMore() {
    ExecutorService ended = Executors.newSingleThreadExecutor();
    ended.shutdownNow();
    LoopWatch watch = new LoopWatch(List.of(ended));

    assertFalse(watch.beat());
    assertFalse(watch.beat());
  }

  @Test
  void aWatchedProcessFeedsTheWatchdogAtAQuarterOfItsPeriodUntilItStops() throws Exception {
    CountDownLatch isStuck = new CountDownLatch(1);
    try (NotifyReceiver systemd = receiver();
        ExecutorService loop = Executors.newSingleThreadExecutor();
        ServiceManager manager =
            manager(
                systemd.place(),
                Map.of("WATCHDOG_USEC", "40000", "WATCHDOG_PID", Long.toString(PID)))) {
      manager.ready("ok", List.of(loop));
      assertTrue(systemd.next().startsWith("READY=1"));
      assertEquals("WATCHDOG=1", systemd.next());
      assertEquals("WATCHDOG=1", systemd.next());

      loop.execute(() -> awaitQuietly(isStuck));
      manager.stopping(Duration.ofSeconds(1));
      String next = systemd.next();
      while (next.equals("WATCHDOG=1")) {
        next = systemd.next();
      }
      assertTrue(next.startsWith("STOPPING=1\n"), next);
      isStuck.countDown();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void theWatchdogOfAnotherProcessIsNotFed() {
    assertEquals(0, ServiceManager.watchdogMicros(Map.of("WATCHDOG_PID", "4711"), PID));
    assertEquals(
        0,
        ServiceManager.watchdogMicros(
            Map.of("WATCHDOG_USEC", "1000", "WATCHDOG_PID", "4712"), PID));
    assertEquals(0, ServiceManager.watchdogMicros(Map.of("WATCHDOG_USEC", "-1"), PID), "no number");
    assertEquals(1000, ServiceManager.watchdogMicros(Map.of("WATCHDOG_USEC", "1000"), PID));
  }

  @ParameterizedTest
  @ValueSource(strings = {"notify", "vsock:2:1", "/", "@", "/nobody/listens/here"})
  void aNodeRunsOnWhereNobodyCanBeTold(String place) {
    try (ServiceManager manager = manager(place, Map.of("WATCHDOG_USEC", "1000000"))) {
      manager.ready("ok", List.of(Runnable::run));
      manager.reloading();
      manager.stopping(Duration.ZERO);
    }
  }

  @Test
  void nothingIsSentWhereSystemdDidNotStartTheProcess() {
    try (ServiceManager manager =
        ServiceManager.of(Map.of("WATCHDOG_USEC", "1000000"), PID, System::nanoTime)) {
      manager.ready("ok", List.of(Runnable::run));
      assertTrue(
          Thread.getAllStackTraces().keySet().stream()
              .noneMatch(thread -> thread.getName().equals("watchdog")));
    }
  }

  @Test
  void aFullQueueIsWaitedFor() throws Exception {
    try (NotifyReceiver systemd = receiver();
        ServiceManager manager = manager(systemd.place(), Map.of())) {
      Socket other = Socket.newSocketDomainDgram();
      int filled = 0;
      try {
        other.connect(new DomainSocketAddress(systemd.place()));
        ByteBuffer one = ByteBuffer.allocateDirect(1).put(0, (byte) 'x');
        while (other.write(one, 0, 1) > 0) {
          filled++;
        }
      } finally {
        other.close();
      }
      Thread reader = Thread.ofVirtual().unstarted(() -> assertEquals("x", systemd.next()));
      reader.start();

      manager.ready("ok", List.of());

      reader.join();
      for (int i = 1; i < filled; i++) {
        assertEquals("x", systemd.next());
      }
      assertEquals("READY=1\nSTATUS=ok", systemd.next());
    }
  }
}
