package io.forebay.server.tls;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Warns about certificates that are about to expire or have expired, once a day each. Confined to
 * its owner.
 */
final class ExpiryWatch {
  private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();

  /** By entry and file. What is no longer served, or was renewed, is forgotten. */
  private Map<String, Long> saidAtMillis = new HashMap<>();

  /**
   * The warnings that are due.
   *
   * @param before how long before the end it begins
   */
  List<String> due(Collection<TlsHost> hosts, Duration before, long nowMillis) {
    List<String> lines = new ArrayList<>();
    Map<String, Long> said = new HashMap<>();
    for (TlsHost host : hosts) {
      for (CertificatePair pair : host.settings().pairs()) {
        long left = pair.leaf().getNotAfter().toInstant().toEpochMilli() - nowMillis;
        if (left > before.toMillis()) {
          continue;
        }
        String key = host.name() + " " + pair.file();
        Long last = saidAtMillis.get(key);
        if (last != null && nowMillis - last < DAY_MILLIS) {
          said.put(key, last);
          continue;
        }
        said.put(key, nowMillis);
        lines.add(
            host.name()
                + ": "
                + pair.file()
                + (left < 0
                    ? " has expired at "
                    : " expires in " + left / DAY_MILLIS + " days, at ")
                + pair.leaf().getNotAfter().toInstant());
      }
    }
    saidAtMillis = said;
    return lines;
  }
}
