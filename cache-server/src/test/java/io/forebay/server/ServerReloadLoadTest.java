package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.ProtocolClient.Answer;
import io.forebay.server.config.ServerConfig;
import io.forebay.testing.Await;
import io.forebay.testing.ScriptedOrigin;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reloads under load, between two configurations that differ in two rules, an error page, a
 * redirect map and what the origin is asked. Every answer is wholly of the one or of the other, and
 * nothing is left of those that were replaced.
 */
@Timeout(300)
@Tag("full")
final class ServerReloadLoadTest {
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final int WARM_UP = 4;

  @TempDir Path directory;
  private final ScriptedOrigin origin = ScriptedOrigin.start();
  private final AtomicInteger turn = new AtomicInteger();
  private final AtomicLong answers = new AtomicLong();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final Set<String> seen = new ConcurrentSkipListSet<>();
  private final List<WeakReference<ServerConfig>> accepted = new ArrayList<>();
  private volatile boolean isOver;
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    origin.serve(ServerReloadLoadTest::answer);
    for (String name : List.of("one", "two")) {
      Files.writeString(directory.resolve(name + ".txt"), "/moved/* /" + name + "/:splat\n");
    }
    edge = Edge.start(directory, "32MiB", config("one"));
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  /** Repeats what the node says of itself. */
  private static void answer(ScriptedOrigin.Connection connection) throws IOException {
    while (true) {
      String head = connection.head();
      String said = String.join("", ScriptedOrigin.Connection.fields(head, "x-config"));
      connection.send(
          "HTTP/1.1 200 OK\r\ncache-control: "
              + (head.startsWith("GET /stored") ? "max-age=1000" : "no-store")
              + "\r\ncontent-length: "
              + said.length()
              + "\r\n\r\n"
              + said);
    }
  }

  private String config(String name) {
    return """
    http3: {listeners: [secure]}
    ORIGINS
    routes:
      - origin: main
        error-pages: {403: {text: NAME}}
        rules:
          - response-headers: {set: {X-Config: NAME}}
          - when: {path: /passed}
            pass: true
            request-headers: {set: {X-Config: NAME}}
          - redirect: {map: "DIR/NAME.txt"}
          - when: {path: /denied}
            deny: 403
          - response-headers: {set: {X-Again: NAME}}
    """
        .replace("ORIGINS\n", Edge.origins(origin.url()))
        .replace("DIR", directory.toString())
        .replace("NAME", name);
  }

  /** Asks until the test is over; an answer that is of two configurations ends it. */
  private void load(String protocol) {
    try (ProtocolClient client = ProtocolClient.connect(edge, protocol)) {
      while (!isOver && failure.get() == null) {
        Answer stored = client.ask("GET", "/stored");
        Answer passed = client.ask("GET", "/passed");
        Answer moved = client.ask("GET", "/moved/a");
        Answer denied = client.ask("GET", "/denied");
        check(200, stored, stored.all("x-config").getFirst());
        check(200, passed, passed.body());
        check(302, moved, moved.all("location").getFirst().split("/", -1)[1]);
        check(403, denied, denied.body());
        answers.addAndGet(4);
      }
    } catch (Throwable e) {
      failure.compareAndSet(null, e);
    }
  }

  /** Rules that the answer of another rule cuts off do not speak. */
  private void check(int status, Answer answer, String name) {
    assertEquals(status, answer.status(), answer::toString);
    List<String> said = new ArrayList<>(answer.all("x-config"));
    said.addAll(answer.all("x-again"));
    said.add(name);
    assertEquals(1, Set.copyOf(said).size(), () -> "of two configurations: " + answer);
    assertTrue(said.size() >= 2, answer::toString);
    seen.add(status + " " + name);
  }

  private void reload() {
    try {
      edge.configure(config(turn.incrementAndGet() % 2 == 0 ? "one" : "two"));
      assertEquals(List.of(), edge.server().reload().errors());
      accepted.add(new WeakReference<>(edge.server().config()));
    } catch (Throwable e) {
      failure.compareAndSet(null, e);
    }
  }

  private static long descriptors() {
    try (Stream<Path> open = Files.list(DESCRIPTORS)) {
      return open.count();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private interface Reloads {
    void run() throws Exception;
  }

  /** Runs the reloads under the load of a client by each protocol. */
  private void underLoad(Reloads reloads) throws Exception {
    isOver = false;
    List<Thread> clients =
        Stream.of("plain", "TLS", "HTTP/2", "HTTP/3")
            .map(protocol -> Thread.ofVirtual().start(() -> load(protocol)))
            .toList();
    try {
      reloads.run();
    } finally {
      isOver = true;
      for (Thread client : clients) {
        client.join();
      }
    }
    Throwable failed = failure.get();
    if (failed != null) {
      throw new AssertionError("after " + turn.get() + " reloads", failed);
    }
    edge.awaitIdle();
  }

  /** Each when some answers have come since the one before. */
  private void reloads(int count) {
    for (int i = 0; i < count && failure.get() == null; i++) {
      long enough = answers.get() + 40;
      Await.until("answers", () -> answers.get() >= enough || failure.get() != null);
      reload();
    }
  }

  private void assertNothingIsLeft(long descriptorsBefore) {
    // The node keeps the configuration that it was started with and the one in force.
    Await.until(
        "the configurations that were replaced are gone",
        () -> {
          System.gc();
          return accepted.stream().filter(config -> config.get() != null).count() <= 1;
        });
    Await.until("descriptors are closed", () -> descriptors() <= descriptorsBefore);
    assertEquals(
        List.of("200 one", "200 two", "302 one", "302 two", "403 one", "403 two"),
        List.copyOf(seen),
        "both were in force");
    System.out.println(
        turn.get() + " reloads, " + answers.get() + " answers, " + descriptors() + " descriptors");
  }

  @Test
  void answersAreOfOneConfigurationAndNothingOfTheOthersIsLeft() throws Exception {
    underLoad(() -> reloads(WARM_UP));
    long before = descriptors();
    underLoad(() -> reloads(60));
    assertNothingIsLeft(before);
  }

  @Test
  @Tag("full")
  void aReloadEveryTenthOfASecondForAMinute() throws Exception {
    underLoad(() -> reloads(WARM_UP));
    long before = descriptors();
    underLoad(() -> {
      AtomicInteger left = new AtomicInteger(600);
      try (ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor()) {
        ScheduledFuture<?> ignored =
            timer.scheduleAtFixedRate(
                () -> {
                  if (left.getAndDecrement() > 0 && failure.get() == null) {
                    reload();
                  } else {
                    timer.shutdown();
                  }
                },
                0,
                100,
                TimeUnit.MILLISECONDS);
        assertTrue(timer.awaitTermination(280, TimeUnit.SECONDS));
      }
    });
    assertNothingIsLeft(before);
  }
}
