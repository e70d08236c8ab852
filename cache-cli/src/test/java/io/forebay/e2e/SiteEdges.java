package io.forebay.e2e;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.EdgeProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Edges before one site: one as simple as can be, one with the site's example. */
final class SiteEdges implements AutoCloseable {
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final Duration HIT_LIMIT = Duration.ofSeconds(30);

  /** What an edge knows of the site. */
  enum Kind {
    DEFAULTS,
    EXAMPLE
  }

  private final Map<Kind, EdgeProcess> edges = new EnumMap<>(Kind.class);

  private SiteEdges() {}

  /** Starts them; the site need not be there yet. */
  static SiteEdges start(Path directory, String example, int originPort) throws Exception {
    String origin = "http://127.0.0.1:" + originPort;
    SiteEdges started = new SiteEdges();
    try {
      started.edges.put(
          Kind.DEFAULTS,
          EdgeProcess.in(directory.resolve("defaults"), origin)
              .config("purge: {from: [127.0.0.1]}\n")
              .threads(1)
              .start());
      // Listeners, memory and data of the example are replaced by arguments.
      String text = Files.readString(Path.of("..", "examples", example));
      started.edges.put(
          Kind.EXAMPLE,
          EdgeProcess.in(directory.resolve("example"))
              .config(
                  text.replaceAll("http://10\\.0\\.0\\.5:[0-9]+", origin)
                      .replace("from: [10.0.0.5]", "from: [127.0.0.1]"))
              .threads(1)
              .start());
    } catch (Exception | AssertionError failed) {
      started.close();
      throw failed;
    }
    return started;
  }

  EdgeProcess get(Kind kind) {
    return requireNonNull(edges.get(kind));
  }

  List<EdgeProcess> all() {
    return List.copyOf(edges.values());
  }

  /** The text comes with a request that is made within a second from now, or earlier. */
  static void assertSeenWithinASecond(Visitor visitor, String target, String text) {
    long changed = System.nanoTime();
    long late = assertSeen(visitor, target, text) - changed;
    assertTrue(late <= SOON.toNanos(), () -> target + " was old for " + late / 1_000_000 + " ms");
  }

  /** The text comes at some time; when it was asked for. */
  static long assertSeen(Visitor visitor, String target, String text) {
    AtomicLong asked = new AtomicLong();
    Await.until(
        text + " at " + target,
        () -> {
          Visitor.Page page = visitor.get(target);
          asked.set(page.askedNanos());
          return page.text().contains(text);
        });
    return asked.get();
  }

  /** A hit, in the end: the site may purge more than once for one change. */
  static Visitor.Page awaitHit(Visitor visitor, String target) {
    AtomicReference<Visitor.@Nullable Page> last = new AtomicReference<>();
    try {
      Await.until(
          target + " is a hit",
          HIT_LIMIT,
          () -> {
            Visitor.Page page = visitor.get(target);
            last.set(page);
            return page.isHit();
          });
    } catch (AssertionError late) {
      throw new AssertionError("at last: " + last.get(), late);
    }
    return requireNonNull(last.get());
  }

  @Override
  public void close() {
    Tools.close(edges.values().toArray(new AutoCloseable[0]));
  }
}
