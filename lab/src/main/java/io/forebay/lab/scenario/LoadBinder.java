package io.forebay.lab.scenario;

import io.forebay.lab.scenario.Setup.HitRatio;
import io.forebay.lab.scenario.Setup.HitRatioBy;
import io.forebay.lab.scenario.Setup.HitRatioOf;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes what clients ask for, which hits are wanted, and what is searched for. */
final class LoadBinder {

  private LoadBinder() {}

  static @Nullable HitRatio hitRatio(MappingReader keys) {
    if (!keys.has("hit-ratio")) {
      return null;
    }
    MappingReader ratio = keys.mapping("hit-ratio");
    if (!ratio.has("wanted")) {
      throw ratio.problem("wanted", "is missing; write a share such as 98.8%");
    }
    HitRatio wanted =
        new HitRatio(
            ratio.share("wanted", 1),
            ratio.choice("of", HitRatioOf.class, HitRatioOf.REQUESTS),
            ratio.choice("by", HitRatioBy.class, HitRatioBy.FRESH_NAMES));
    ratio.end();
    return wanted;
  }

  static Load load(MappingReader keys, MappingReader time, @Nullable HitRatio wanted) {
    List<Load.Ramp> ramps = new ArrayList<>();
    for (MappingReader.Entry entry : keys.list("ramps")) {
      MappingReader ramp = entry.keys();
      double from = ramp.number("rate", 1, 0.001, 1e9);
      ramps.add(
          new Load.Ramp(
              ramp.seconds("time", 60, 0.5, 86_400), from, ramp.number("to", from, 0, 1e9)));
      ramp.end();
    }
    double perConnection = keys.number("rate-per-connection", 0, 0, 1e6);
    if (perConnection > 0 && keys.has("rate")) {
      throw keys.problem("rate", "goes without rate-per-connection; keep one of them");
    }
    double fresh = keys.share("fresh", 0);
    if (fresh > 0 && wanted != null) {
      throw keys.problem("fresh", "goes without hit-ratio; keep one of them");
    }
    if (wanted != null && wanted.by() == HitRatioBy.FRESH_NAMES) {
      fresh = 1 - wanted.wanted();
    }
    Load load =
        new Load(
            keys.text("client", "own"),
            keys.integer("clients", 1, 1, 1000),
            1,
            keys.integer("requests-per-connection", 0, 0, 1_000_000_000),
            keys.integer("streams", 1, 1, 1000),
            0,
            perConnection,
            ramps,
            time.seconds("warm-up", 1, 0, 86_400),
            time.seconds("measured", 10, 1, 86_400),
            (int) Math.round(keys.seconds("timeout", 30, 0.01, 3600) * 1000),
            null,
            fresh,
            wanted,
            keys.share("resumed", 0),
            keys.flag("verify", false));
    time.end();
    if (!Set.of("own", "wrk", "h2load").contains(load.client())) {
      throw keys.problem("client", "is '" + load.client() + "'; write one of own, wrk, h2load");
    }
    return load;
  }

  static @Nullable Search search(MappingReader keys, Setup setup) {
    if (!keys.has("search")) {
      return null;
    }
    MappingReader search = keys.mapping("search");
    Search.By by = search.choice("by", Search.By.class, Search.By.CONNECTIONS);
    int from = search.integer("from", 1, 1, 10_000_000);
    if (by == Search.By.CHANNELS && setup.channels() == 0) {
      throw search.problem("by", "is channels without any; write channels: " + from);
    }
    Search result =
        new Search(
            by,
            from,
            search.integer("most", 1_000_000, from, 10_000_000),
            search.number("growth", 2, 1.01, 100),
            search.integer("refinements", 2, 0, 20),
            by == Search.By.CONNECTIONS
                ? search.number("limit", 1.2, 1, 1000)
                : search.share("limit", 0.85),
            search.seconds("held", 0, 0, 86_400),
            keys.integer("segments", 60, 1, 1_000_000));
    search.end();
    return result;
  }
}
