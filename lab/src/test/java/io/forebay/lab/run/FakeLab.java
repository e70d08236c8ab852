package io.forebay.lab.run;

import io.forebay.lab.host.HostRecord;
import io.forebay.lab.host.HostSample;
import io.forebay.lab.load.LoadGenerator;
import io.forebay.lab.load.LoadOutcome;
import io.forebay.lab.load.LoadPlan;
import io.forebay.lab.origin.OriginOptions;
import io.forebay.lab.target.RunningTarget;
import io.forebay.lab.target.Target;
import io.forebay.lab.target.TargetSpec;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** All that a run starts and measures, as fakes that write down what happens. */
final class FakeLab {
  private static final double FILM_BYTES = 700e6;

  private final Path directory;
  private final List<String> events = new ArrayList<>();
  private final List<Long> memories = new ArrayList<>();
  private final Set<Long> seeds = new TreeSet<>();
  private final List<Server> servers = new ArrayList<>();
  private int running;
  private int failingLoads;
  private boolean isInterrupting;
  private boolean isFailing;
  private @Nullable String refusal;
  private @Nullable String missing;
  private long estimate = -1;
  private long hiddenFetches;
  private long fetches;

  FakeLab(Path directory) {
    this.directory = directory;
  }

  Instruments instruments() {
    return new Instruments(
        this::startOrigin,
        () -> {
          throw new IllegalStateException("no test has TLS");
        },
        (addresses, objects, _) ->
            events.add(
                "warm "
                    + objects.stream().mapToLong(row -> row.count()).sum()
                    + " files of "
                    + String.join(" ", addresses.stream().map(URI::getHost).toList())),
        _ -> new Client(),
        PacketNetwork.PLAIN,
        Instruments.Clients.HERE,
        (_, _, _) -> startMeter(),
        new Machine(4, 20_000_000_000L, 100_000_000_000L),
        () -> Map.of("machine", "a machine"),
        () -> Instant.parse("2026-11-26T00:00:00Z"),
        directory);
  }

  List<String> events() {
    return events;
  }

  long count(String beginning) {
    return events.stream().filter(event -> event.startsWith(beginning)).count();
  }

  /** Of servers in the order of their starts. */
  List<Long> memories() {
    return memories;
  }

  Set<Long> seeds() {
    return seeds;
  }

  int running() {
    return running;
  }

  void refuse(String reason) {
    refusal = reason;
  }

  void missing(String reason) {
    missing = reason;
  }

  void failLoads(int count) {
    failingLoads = count;
  }

  void interruptLoad() {
    isInterrupting = true;
  }

  void failStarts() {
    isFailing = true;
  }

  void estimate(long bytes) {
    estimate = bytes;
  }

  /** The server asks the origin so often in the measured part, and counts no miss. */
  void hideFetches(long count) {
    hiddenFetches = count;
  }

  Target target(String name) {
    return new Target() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public @Nullable String missing() {
        return missing;
      }

      @Override
      public String version() {
        return "1.0";
      }

      @Override
      public RunningTarget start(TargetSpec spec) throws IOException {
        if (refusal != null) {
          throw new UnsupportedOperationException(refusal);
        }
        if (isFailing) {
          throw new IOException("no port");
        }
        return new Server(name, spec);
      }
    };
  }

  private OriginStarter.Running startOrigin(OriginOptions options) {
    events.add("origin starts");
    running++;
    return new OriginStarter.Running() {
      @Override
      public URI address() {
        return URI.create("http://127.0.0.1:9000");
      }

      @Override
      public long requests() {
        return servers.stream().mapToLong(server -> server.requests - server.hits).sum() + fetches;
      }

      @Override
      public List<ProcessHandle> processes() {
        return List.of();
      }

      @Override
      public void close() {
        events.add("origin stops");
        running--;
      }
    };
  }

  private Meter.Recording startMeter() {
    events.add("meter starts");
    running++;
    return new Meter.Recording() {
      private boolean isStopped;

      @Override
      public void mark() {
        events.add("mark");
      }

      @Override
      public HostRecord stop() {
        close();
        return new HostRecord(sample(10), List.of(sample(1), sample(1)), 1, "none", List.of());
      }

      @Override
      public void close() {
        if (!isStopped) {
          isStopped = true;
          running--;
          events.add("meter stops");
        }
      }
    };
  }

  private static HostSample sample(double seconds) {
    return new HostSample(seconds, 1, 0.5, 0.1, 0.1, 0.3, 10_000, 1 << 20, 0, 0, 0, 0, null);
  }

  /** A server whose hit ratio is the share of 700 MB that its memory holds. */
  private final class Server implements RunningTarget {
    private final String name;
    private final double hitRatio;
    private long requests = 7;
    private long hits;

    Server(String name, TargetSpec spec) {
      this.name = name;
      hitRatio = Math.min(1, spec.memoryBytes() / FILM_BYTES);
      events.add(name + " starts");
      memories.add(spec.memoryBytes());
      servers.add(this);
      running++;
    }

    @Override
    public URI address() {
      return URI.create("http://" + name + ":8080");
    }

    @Override
    public List<ProcessHandle> processes() {
      return List.of();
    }

    @Override
    public Counters counters() {
      events.add("count " + name);
      return new Counters(requests, hits, requests * 10, (requests - hits) * 10, Map.of());
    }

    @Override
    public long memoryForHitRatio(double wanted) {
      return estimate;
    }

    @Override
    public void close() {
      events.add(name + " stops");
      servers.remove(this);
      running--;
    }
  }

  /** A load that the server answers half in the warm-up and half in the measured part. */
  private final class Client implements LoadGenerator {

    @Override
    public LoadOutcome run(LoadPlan plan, Observer observer)
        throws IOException, InterruptedException {
      events.add("load of " + plan.connections() + " connections");
      seeds.add(plan.seed());
      if (isInterrupting) {
        throw new InterruptedException();
      }
      if (failingLoads > 0) {
        failingLoads--;
        throw new IOException("the client died");
      }
      serve();
      observer.measuring();
      serve();
      fetches += hiddenFetches;
      List<LoadOutcome.Second> seconds = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        LoadOutcome.Second second = new LoadOutcome.Second(i, 500, 5_000_000, 0, 8);
        seconds.add(second);
        observer.second(second);
      }
      return new LoadOutcome(Examples.load(), seconds);
    }

    private void serve() {
      for (Server server : servers) {
        server.requests += 1000;
        server.hits += Math.round(1000 * server.hitRatio);
      }
    }
  }
}
