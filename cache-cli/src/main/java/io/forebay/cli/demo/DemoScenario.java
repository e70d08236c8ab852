package io.forebay.cli.demo;

import io.forebay.cli.console.EdgeProcess;
import io.forebay.cli.console.Output;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The steps of the demo: miss, hit, range, concurrent viewers, purge, miss, kill and warm restart.
 * Each step states its expectation, checks every byte and the number of requests at the origin, and
 * reports the result.
 */
final class DemoScenario implements AutoCloseable {
  private static final int VIEWERS = 8;
  private static final int STOP_SECONDS = 20;
  private static final long FAR_ORIGIN_BYTES_PER_SECOND = 48L << 20;
  private static final int RANGE_FROM = 5_000_000;
  private static final int RANGE_BYTES = 1 << 20;

  private final Output output;
  private final Purger purger;
  private final List<String> serveArguments;
  private final Path log;
  private final int port;
  private final Ladder ladder = new Ladder();
  private final LadderOrigin origin;
  private final DemoSteps steps;
  private Viewer viewer;
  // Also read by the shutdown hook that closes this.
  private volatile @Nullable EdgeProcess edge;

  /**
   * @param serveArguments what {@code serve} gets beside the origin
   * @param port where those arguments make the edge listen
   */
  public DemoScenario(Output output, Purger purger, List<String> serveArguments, int port, Path log)
      throws IOException {
    this.output = output;
    this.purger = purger;
    this.serveArguments = serveArguments;
    this.port = port;
    this.log = log;
    this.origin = new LadderOrigin(ladder, 0);
    this.steps = new DemoSteps(output, origin::requests);
    this.viewer = new Viewer(port);
  }

  /** Walks all steps; true when each was as promised. */
  public boolean walk() throws IOException, InterruptedException {
    warmUpViewer();
    start();
    steps.run(
        "miss",
        "every segment once: fetched from the origin, streamed while it is stored",
        this::miss);
    steps.run(
        "hit",
        "the same again: from the edge's memory, without a request to the origin",
        this::hit);
    steps.run("range", "one MiB from the middle of the 12 MB segment", this::range);
    steps.run("join", VIEWERS + " viewers request the newest 12 MB segment at once", this::join);
    steps.run("purge", "one 12 MB segment; once acknowledged, it is not served again", this::purge);
    steps.run("crash", "purge another, kill -9 the edge, start it again", this::crash);
    return steps.haveSucceeded();
  }

  public String edgeUrl() {
    return "http://127.0.0.1:" + port;
  }

  public String originUrl() {
    return origin.url();
  }

  public String masterUrl() {
    return edgeUrl() + Ladder.masterPath();
  }

  /** Whether the edge runs; it only ends by itself when something is wrong. */
  public boolean isEdgeAlive() {
    EdgeProcess running = edge;
    return running != null && running.isAlive();
  }

  @Override
  public void close() {
    EdgeProcess running = edge;
    if (running != null && running.isAlive()) {
      running.stop(STOP_SECONDS);
    }
    origin.close();
  }

  private void start() throws IOException, InterruptedException {
    EdgeProcess started = startEdge();
    tuneIn();
    output.line("");
    output.line(
        "  origin  "
            + origin.url()
            + "   "
            + Ladder.renditions()
            + " renditions of a live channel, segments of 72 KB to 12 MB");
    output.line(
        "  edge    "
            + edgeUrl()
            + "   pid "
            + started.pid()
            + ", listening after "
            + DemoSteps.millis(started.startNanos()));
    output.json(
        new DemoSteps.Step(
            "start", true, started.startNanos() / 1e6, origin.requests(), edgeUrl()));
  }

  private String miss() throws IOException {
    return each("miss", ladder.segments(), ladder.segments().size());
  }

  private String hit() throws IOException {
    return each("hit", ladder.segments(), 0);
  }

  private String range() throws IOException {
    Ladder.Item item = biggest(1);
    int last = RANGE_FROM + RANGE_BYTES - 1;
    Viewer.Got got = viewer.get(item.path(), "bytes=" + RANGE_FROM + "-" + last);
    DemoSteps.expect(got.status() == 206, "status " + got.status() + " instead of 206");
    DemoSteps.expect(
        got.field("content-range")
            .equals("bytes " + RANGE_FROM + "-" + last + "/" + item.bytes().length),
        "Content-Range: " + got.field("content-range"));
    DemoSteps.expect(
        Arrays.equals(got.body(), Arrays.copyOfRange(item.bytes(), RANGE_FROM, last + 1)),
        "the bytes differ");
    steps.expectOrigin(0);
    return "206, bytes %,d-%,d identical, complete after %s"
        .formatted(RANGE_FROM, last, DemoSteps.millis(got.lastByteNanos()));
  }

  private String join() throws Exception {
    Ladder.Item item = ladder.item(Ladder.newestOfBiggest());
    origin.pace(FAR_ORIGIN_BYTES_PER_SECOND);
    List<Callable<Viewer.Got>> viewers = new ArrayList<>();
    for (int i = 0; i < VIEWERS; i++) {
      viewers.add(() -> {
        try (Viewer one = new Viewer(port)) {
          return one.get(item.path());
        }
      });
    }
    long slowest = 0;
    try (ExecutorService threads = Executors.newFixedThreadPool(VIEWERS)) {
      for (Future<Viewer.Got> done : threads.invokeAll(viewers)) {
        Viewer.Got got = done.get();
        expectWhole(item, got);
        slowest = Math.max(slowest, got.lastByteNanos());
      }
    } catch (ExecutionException failed) {
      throw failed.getCause() instanceof IOException broken ? broken : failed;
    } finally {
      origin.pace(0);
    }
    steps.expectOrigin(1);
    return "%d times 12 MB identical from 1 origin request at %d MB/s, the last complete after %s"
        .formatted(VIEWERS, FAR_ORIGIN_BYTES_PER_SECOND >> 20, DemoSteps.millis(slowest));
  }

  private String purge() throws IOException {
    Ladder.Item item = biggest(1);
    double tookMillis = purger.purge(edgeUrl() + item.path());
    Viewer.Got gone = viewer.get(item.path());
    expectWhole(item, gone);
    DemoSteps.expect(
        !gone.isHit(), "served from cache after the purge: " + gone.field("cache-status"));
    steps.expectOrigin(1);
    Viewer.Got again = viewer.get(item.path());
    expectWhole(item, again);
    DemoSteps.expect(again.isHit(), "not a hit afterwards: " + again.field("cache-status"));
    Viewer.Got neighbour = viewer.get(biggest(2).path());
    DemoSteps.expect(neighbour.isHit(), "its neighbour was purged too");
    steps.expectOrigin(0);
    return "on disk and in force after "
        + DemoSteps.millis((long) (tookMillis * 1e6))
        + ", then a miss of "
        + DemoSteps.millis(gone.lastByteNanos())
        + ", then a hit again; its neighbour stayed";
  }

  private String crash() throws Exception {
    Ladder.Item purged = biggest(2);
    purger.purge(edgeUrl() + purged.path());
    EdgeProcess killed = edge;
    if (killed == null) {
      throw new IllegalStateException("no edge is running");
    }
    killed.kill();
    viewer.close();
    EdgeProcess restarted = startEdge();
    viewer = new Viewer(port);
    int hits = 0;
    for (Ladder.Item item : ladder.segments()) {
      if (!item.path().equals(purged.path())) {
        Viewer.Got got = viewer.get(item.path());
        expectWhole(item, got);
        DemoSteps.expect(got.isHit(), item.path() + " is not cached: " + got.field("cache-status"));
        hits++;
      }
    }
    steps.expectOrigin(0);
    Viewer.Got gone = viewer.get(purged.path());
    expectWhole(purged, gone);
    DemoSteps.expect(
        !gone.isHit(), "the purged object is served again: " + gone.field("cache-status"));
    steps.expectOrigin(1);
    return "pid %d killed; pid %d listening after %s with %d hits of %d, bytes identical; the purged object stays purged"
        .formatted(
            killed.pid(), restarted.pid(), DemoSteps.millis(restarted.startNanos()), hits, hits);
  }

  /** Fetches each item and prints a row for the first of each rendition. */
  private String each(String expected, List<Ladder.Item> items, int originRequests)
      throws IOException {
    long bytes = 0;
    for (Ladder.Item item : items) {
      Viewer.Got got = viewer.get(item.path());
      expectWhole(item, got);
      DemoSteps.expect(
          got.isHit() == expected.equals("hit"),
          item.path() + " is not a " + expected + ": " + got.field("cache-status"));
      bytes += got.body().length;
      if (item.path().endsWith("/seg-1.ts")) {
        output.line(
            output.faint(
                "           %-6s %8s   first byte %9s   whole %9s"
                    .formatted(
                        item.rung(),
                        size(item.bytes().length),
                        DemoSteps.millis(got.firstByteNanos()),
                        DemoSteps.millis(got.lastByteNanos()))));
      }
    }
    steps.expectOrigin(originRequests);
    return "%d objects, %s, bytes identical, %d origin requests"
        .formatted(items.size(), size(bytes), originRequests);
  }

  private EdgeProcess startEdge() throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(List.of("--origin", origin.url()));
    arguments.addAll(serveArguments);
    EdgeProcess started = EdgeProcess.start(List.of(), arguments, log);
    edge = started;
    return started;
  }

  /** Lets the viewer's own code compile, or else the first rows would time that. */
  private void warmUpViewer() throws IOException {
    try (Viewer direct = new Viewer(origin.port())) {
      for (int round = 0; round < 20; round++) {
        for (Ladder.Item item : ladder.firstOfEachRung()) {
          expectWhole(item, direct.get(item.path()));
        }
      }
    }
  }

  /** As players do, reads the playlists first; that also has the edge load its code. */
  private void tuneIn() throws IOException {
    for (String playlist : ladder.playlists()) {
      expectWhole(ladder.item(playlist), viewer.get(playlist));
    }
  }

  private Ladder.Item biggest(int number) {
    List<Ladder.Item> segments = ladder.segments();
    return segments.get(segments.size() - 3 + number);
  }

  private static void expectWhole(Ladder.Item item, Viewer.Got got)
      throws DemoSteps.UnmetExpectation {
    DemoSteps.expect(got.status() == 200, item.path() + " answers " + got.status());
    DemoSteps.expect(Arrays.equals(item.bytes(), got.body()), item.path() + " has wrong content");
  }

  private static String size(long bytes) {
    return bytes < 1 << 20
        ? "%d KB".formatted(bytes >> 10)
        : String.format(Locale.ROOT, "%.1f MB", bytes / (double) (1 << 20));
  }
}
