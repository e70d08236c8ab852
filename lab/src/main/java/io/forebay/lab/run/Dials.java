package io.forebay.lab.run;

import io.forebay.lab.scenario.Load;
import io.forebay.lab.scenario.Setup;
import io.forebay.lab.scenario.Setup.HitRatio;
import io.forebay.lab.scenario.Setup.HitRatioOf;
import io.forebay.lab.scenario.Step;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What was set for a step, by the names that results have. */
final class Dials {

  private Dials() {}

  /**
   * The dials of a step.
   *
   * @param cores of the machine, which a server without a number of loops uses
   */
  static Map<String, Object> of(Step step, int cores) {
    Load load = step.load();
    Setup setup = step.setup();
    Setup.Server server = setup.server();
    Map<String, Object> dials = new TreeMap<>();
    dials.put("client", load.client());
    dials.put("clients", load.clients());
    dials.put("connections", load.connections());
    dials.put("requestsPerConnection", load.requestsPerConnection());
    dials.put("loop", load.isOpen() ? "open" : "closed");
    if (load.rate() > 0) {
      dials.put("rate", load.rate());
    }
    if (load.only() != null) {
      dials.put("object", load.only());
    }
    setup.objects().stream()
        .filter(row -> setup.objects().size() == 1 || row.name().equals(load.only()))
        .findFirst()
        .ifPresent(row -> {
          dials.put("objectBytes", row.bytes());
          dials.put("objects", row.count());
        });
    dials.put("freshShare", load.freshShare());
    HitRatio wanted = load.wanted();
    if (wanted != null) {
      dials.put(wanted.of() == HitRatioOf.BYTES ? "byteHitRatio" : "hitRatio", wanted.wanted());
      dials.put("hitRatioBy", label(wanted.by()));
    }
    if (setup.channels() > 0) {
      dials.put("channels", setup.channels());
    }
    dials.put("footprintBytes", setup.footprintBytes());
    dials.put("popularity", label(setup.popularity()));
    dials.put("memoryBytes", server.memoryBytes());
    dials.put("diskBytes", server.diskBytes());
    dials.put("tier", label(setup.tier()));
    if (server.loops() > 0) {
      dials.put("cores", server.loops() * server.instances());
    } else {
      dials.put("cores", cores);
    }
    dials.put("instances", server.instances());
    dials.put("tls", setup.tls());
    dials.put("resumedShare", load.resumedShare());
    dials.put("protocol", label(setup.protocol()));
    dials.put("delayMillis", setup.network().delayMillis());
    dials.put("loss", setup.network().loss());
    return dials;
  }

  private static String label(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
