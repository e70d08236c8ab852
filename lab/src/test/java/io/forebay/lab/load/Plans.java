package io.forebay.lab.load;

import io.forebay.lab.load.LoadPlan.ObjectClass;
import io.forebay.lab.load.LoadPlan.Phase;
import io.forebay.lab.load.LoadPlan.Popularity;
import io.forebay.lab.load.LoadPlan.Protocol;
import io.forebay.lab.load.client.BodyCheck;
import io.forebay.lab.load.client.Client;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Makes plans, and runs them with the client in this process. */
final class Plans {
  static final int SEED = 7;

  private List<URI> targets = List.of(URI.create("http://127.0.0.1:1"));
  private Protocol protocol = Protocol.HTTP1;
  private @Nullable String trust;
  private double resumedShare;
  private int connections = 1;
  private int requestsPerConnection;
  private List<Phase> phases = List.of(new Phase(0.1, 100, 100, true));
  private List<ObjectClass> objects = List.of(new ObjectClass("small", 5, 1, 10, "/o/{bytes}/{n}"));
  private Popularity popularity = Popularity.UNIFORM;
  private double freshShare;
  private int timeoutMillis = 20_000;
  private @Nullable Long bodySeed;
  private int streams = 1;
  private @Nullable BodyCheck check;

  private Plans() {}

  static Plans to(String... urls) {
    Plans plans = new Plans();
    plans.targets = java.util.Arrays.stream(urls).map(URI::create).toList();
    return plans;
  }

  Plans protocol(Protocol value, @Nullable String trustedPem) {
    protocol = value;
    trust = trustedPem;
    return this;
  }

  Plans resumed(double share) {
    resumedShare = share;
    return this;
  }

  Plans connections(int count) {
    connections = count;
    return this;
  }

  Plans bursts(int requests) {
    requestsPerConnection = requests;
    return this;
  }

  /** A phase that counts. */
  Plans rate(double seconds, double perSecond) {
    return phases(new Phase(seconds, perSecond, perSecond, true));
  }

  Plans phases(Phase... values) {
    phases = List.of(values);
    return this;
  }

  Plans objects(ObjectClass... values) {
    objects = List.of(values);
    return this;
  }

  Plans popularity(Popularity value) {
    popularity = value;
    return this;
  }

  Plans fresh(double share) {
    freshShare = share;
    return this;
  }

  Plans timeoutMillis(int value) {
    timeoutMillis = value;
    return this;
  }

  Plans streams(int value) {
    streams = value;
    return this;
  }

  Plans verifiedBy(BodyCheck value) {
    bodySeed = (long) SEED;
    check = value;
    return this;
  }

  Plans verify() {
    bodySeed = (long) SEED;
    return this;
  }

  LoadPlan plan() {
    return new LoadPlan(
        targets,
        protocol,
        trust,
        resumedShare,
        connections,
        requestsPerConnection,
        phases,
        objects,
        popularity,
        freshShare,
        "",
        timeoutMillis,
        bodySeed,
        SEED,
        streams);
  }

  /** Runs the plan in this process. */
  LoadOutcome run() throws Exception {
    LoadPlan plan = plan();
    List<String> lines = new CopyOnWriteArrayList<>();
    new Client(plan, new Client.Options(2, 0, 1, false), check, lines::add).run(null);
    List<LoadOutcome.Second> seconds = new ArrayList<>();
    for (String line : lines.subList(0, lines.size() - 1)) {
      SecondCounts counts = new SecondCounts(seconds.size());
      ClientLines.Second second = ClientLines.fromClient(line).second();
      if (second == null) {
        throw new AssertionError(line);
      }
      counts.add(second);
      seconds.add(counts.outcome());
    }
    ClientLines.End end = ClientLines.fromClient(lines.getLast()).end();
    if (end == null) {
      throw new AssertionError(lines.getLast());
    }
    Measured measured = Measured.of(plan);
    measured.add(end.totals(), end.histograms());
    return new LoadOutcome(measured.totals(), seconds);
  }
}
