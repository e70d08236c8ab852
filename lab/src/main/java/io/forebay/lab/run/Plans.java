package io.forebay.lab.run;

import io.forebay.lab.load.LoadPlan;
import io.forebay.lab.scenario.Load;
import io.forebay.lab.scenario.ObjectRow;
import io.forebay.lab.scenario.Setup;
import io.forebay.lab.scenario.Step;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes the plan of a load of a step. */
final class Plans {

  private Plans() {}

  /**
   * The plan of a step.
   *
   * @param servers that connections go to
   * @param trust certificate of their authority in PEM, or null for plain HTTP
   * @param seed other ones ask for other files in another order
   */
  static LoadPlan plan(Step step, List<URI> servers, @Nullable String trust, long seed) {
    Load load = step.load();
    Setup setup = step.setup();
    return new LoadPlan(
        servers,
        LoadPlan.Protocol.valueOf(setup.protocol().name()),
        trust,
        load.resumedShare(),
        load.allConnections(),
        load.requestsPerConnection(),
        phases(load),
        setup.objects().stream()
            .filter(row -> load.only() == null || row.name().equals(load.only()))
            .map(Plans::object)
            .toList(),
        LoadPlan.Popularity.valueOf(setup.popularity().name()),
        load.freshShare(),
        "",
        load.timeoutMillis(),
        load.verify() ? TestBed.ORIGIN_SEED : null,
        seed,
        load.streams());
  }

  private static List<LoadPlan.Phase> phases(Load load) {
    List<LoadPlan.Phase> phases = new ArrayList<>();
    double first = load.ramps().isEmpty() ? load.rate() : load.ramps().getFirst().fromRate();
    // Whole seconds: a client tells by the second that it is warm, and from then on the server's
    // counters and CPU are read. After a part of a second they would be of another time than the
    // client's figures.
    double warmUp = Math.ceil(load.warmUpSeconds());
    if (warmUp > 0) {
      phases.add(new LoadPlan.Phase(warmUp, first, first, false));
    }
    if (load.ramps().isEmpty()) {
      phases.add(new LoadPlan.Phase(load.measuredSeconds(), first, first, true));
    }
    for (Load.Ramp ramp : load.ramps()) {
      phases.add(new LoadPlan.Phase(ramp.seconds(), ramp.fromRate(), ramp.toRate(), true));
    }
    return phases;
  }

  private static LoadPlan.ObjectClass object(ObjectRow row) {
    return new LoadPlan.ObjectClass(row.name(), row.bytes(), row.weight(), row.count(), row.path());
  }
}
