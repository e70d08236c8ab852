package io.forebay.lab.load;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * h2load, for closed loops of HTTP/2, of HTTP/1.1, and of HTTP/3 where it was built with that. It
 * goes through a list of URLs, all connections in the same order, so it has no fresh names. It
 * tells no first bytes and nothing by the second, and takes any certificate.
 */
final class H2load implements LoadGenerator {
  private static final String NAME = "h2load";
  private static final int URLS = 20_000;
  private static final int HELP_MILLIS = 10_000;

  private final int threads;

  H2load(int threads) {
    this.threads = threads;
  }

  @Override
  public LoadOutcome run(LoadPlan plan, Observer observer)
      throws IOException, InterruptedException {
    ClosedLoop loop = ClosedLoop.of(plan, NAME);
    ClosedLoop.require(plan.freshShare() == 0, "h2load has no fresh names: freshShare must be 0");
    ClosedLoop.require(plan.targets().size() == 1, "h2load has one target only");
    Path urls = Files.createTempFile("forebay-lab", ".urls");
    Path log = Files.createTempFile("forebay-lab", ".log");
    try {
      writeUrls(plan, urls);
      List<String> options = protocol(plan);
      if (loop.warmUpSeconds() > 0) {
        h2load(loop, loop.warmUpSeconds(), options, urls, log);
      }
      Files.write(log, new byte[0]);
      observer.measuring();
      Programs.Finished finished = h2load(loop, loop.seconds(), options, urls, log);
      return new LoadOutcome(
          H2loadReport.read(finished.output(), log).totals(loop, finished.cpu()), List.of());
    } finally {
      Files.delete(urls);
      Files.delete(log);
    }
  }

  private static void writeUrls(LoadPlan plan, Path file) throws IOException {
    RequestDraw draw = new RequestDraw(plan, 0, 1, Instant.now());
    List<ObjectPath> paths =
        plan.objects().stream().map(object -> new ObjectPath(plan.prefix(), object)).toList();
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      for (int i = 0; i < URLS; i++) {
        draw.next();
        out.write(plan.targets().get(0) + paths.get(draw.object()).text(draw.number()));
        out.newLine();
      }
    }
  }

  private static List<String> protocol(LoadPlan plan) throws IOException, InterruptedException {
    return switch (plan.protocol()) {
      case HTTP1 -> List.of("--h1");
      case HTTP2 -> List.of();
      case HTTP3 -> {
        String help = Programs.run(List.of(NAME, "--help"), HELP_MILLIS).output();
        ClosedLoop.require(
            help.matches("(?s).*\\bh3\\b.*"),
            "this h2load was built without HTTP/3: take the lab's own client");
        yield List.of(help.contains("--alpn-list") ? "--alpn-list=h3" : "--npn-list=h3");
      }
    };
  }

  private Programs.Finished h2load(
      ClosedLoop loop, int seconds, List<String> protocol, Path urls, Path log)
      throws IOException, InterruptedException {
    LoadPlan plan = loop.plan();
    List<String> command =
        new ArrayList<>(
            List.of(
                NAME,
                "--threads=" + Math.min(threads, plan.connections()),
                "--clients=" + plan.connections(),
                "--max-concurrent-streams=" + plan.streams(),
                "--duration=" + seconds,
                "--log-file=" + log,
                "--input-file=" + urls));
    command.addAll(protocol);
    return Programs.run(command, loop.limitMillis(seconds));
  }
}
