package io.forebay.server.exchange;

import io.forebay.core.http.RequestView;
import io.forebay.core.route.Route;
import io.forebay.server.cmcd.Cmcd;
import io.forebay.server.cmcd.CmcdSettings;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.pacing.Pacing;
import io.forebay.server.response.CmsdLines;
import io.forebay.server.response.HeadWriter;
import io.forebay.server.runtime.RuntimeConfig;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads and counts what players tell with requests (CMCD), and writes what they are told with
 * responses (CMSD), on routes that say so. One per loop.
 */
final class PlayerReports {
  private final LoopCounters counters;

  /** Made for the first route that reads it. */
  private @Nullable Cmcd cmcd;

  PlayerReports(LoopCounters counters) {
    this.counters = counters;
  }

  /** What is told with a request, counted, until the next call; null where there is nothing. */
  @Nullable Cmcd read(RuntimeConfig config, Route route, RequestView request) {
    CmcdSettings settings = config.cmcd(route);
    if (!settings.isRead()) {
      return null;
    }
    Cmcd reader = reader();
    if (!reader.read(request.fields(), request.queryText())) {
      return null;
    }
    reader.count(counters.cmcd.of(route.number()));
    return reader;
  }

  /** As {@link Cmcd#askedRate}, where the pacing follows players; counts nothing. */
  long askedRate(Pacing pacing, RequestView request) {
    int factor = pacing.bitRateFactor();
    if (factor == 0) {
      return -1;
    }
    Cmcd reader = reader();
    return reader.read(request.fields(), request.queryText()) && !reader.isMalformed()
        ? reader.askedRate(factor)
        : -1;
  }

  private Cmcd reader() {
    Cmcd reader = cmcd;
    if (reader == null) {
      reader = new Cmcd();
      cmcd = reader;
    }
    return reader;
  }

  /**
   * Writes CMSD-Dynamic behind the fields of a head, where the route says so.
   *
   * @param isStored whether the fields are those of a stored response: what its origin told then of
   *     the way to it is no longer true
   * @param nanos since the request
   */
  static void tell(
      HeadWriter head,
      RuntimeConfig config,
      Route route,
      boolean isOverloaded,
      boolean isStored,
      long nanos) {
    if (!config.cmcd(route).answersCmsd()) {
      return;
    }
    ByteBuf fields = head.fields();
    if (isStored) {
      CmsdLines.removeFrom(fields);
    }
    CmsdLines.write(fields, config.cmsdLine(), TimeUnit.NANOSECONDS.toMillis(nanos), isOverloaded);
  }
}
