package io.forebay.lab.load;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/**
 * wrk, for closed loops of HTTP/1.1. It tells no first bytes and nothing by the second; it takes
 * any certificate. Bytes of bodies are those of the requests it made, since it counts bytes with
 * heads.
 */
final class Wrk implements LoadGenerator {
  private static final String NAME = "wrk";
  private static final int MILLI = 1000;

  private final int threads;

  Wrk(int threads) {
    this.threads = threads;
  }

  @Override
  public LoadOutcome run(LoadPlan plan, Observer observer)
      throws IOException, InterruptedException {
    ClosedLoop loop = ClosedLoop.of(plan, NAME);
    ClosedLoop.require(
        plan.protocol() == LoadPlan.Protocol.HTTP1,
        "wrk has HTTP/1.1 only, not " + plan.protocol());
    int most = Math.min(plan.connections(), Math.max(threads, plan.targets().size()));
    ClosedLoop.require(
        most >= plan.targets().size(), "wrk needs a connection for each target at least");
    Path script = Files.createTempFile("forebay-lab", ".lua");
    try {
      if (loop.warmUpSeconds() > 0) {
        Files.writeString(script, WrkScript.of(plan, most, Instant.now()));
        wrk(loop, loop.warmUpSeconds(), most, script);
      }
      // Once more: what was a fresh name in the warm-up is none any more.
      Files.writeString(script, WrkScript.of(plan, most, Instant.now()));
      observer.measuring();
      return wrk(loop, loop.seconds(), most, script);
    } finally {
      Files.delete(script);
    }
  }

  private static LoadOutcome wrk(ClosedLoop loop, int seconds, int threads, Path script)
      throws IOException, InterruptedException {
    LoadPlan plan = loop.plan();
    URI target = plan.targets().get(0);
    List<String> command =
        List.of(
            NAME,
            "--threads",
            Integer.toString(threads),
            "--connections",
            Integer.toString(plan.connections()),
            "--duration",
            seconds + "s",
            "--timeout",
            (plan.timeoutMillis() + MILLI - 1) / MILLI + "s",
            "--script",
            script.toString(),
            target + "/");
    Programs.Finished finished = Programs.run(command, loop.limitMillis(seconds));
    return new LoadOutcome(
        WrkReport.read(finished.output()).totals(loop, finished.cpu()), List.of());
  }
}
