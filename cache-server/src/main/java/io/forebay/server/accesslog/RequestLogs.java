package io.forebay.server.accesslog;

import io.forebay.server.config.LogConfig;
import io.forebay.server.ring.RingFiles;
import java.util.ArrayList;
import java.util.List;

/** The request logs of all loops. */
public final class RequestLogs {
  private final List<RequestLog> logs = new ArrayList<>();

  /**
   * Joins both for each loop.
   *
   * @param lines what records of rings have of clients, as lines do
   */
  public RequestLogs(AccessLog accessLog, RingFiles rings, LogConfig.Lines lines, int loops) {
    for (int loop = 0; loop < loops; loop++) {
      logs.add(
          RequestLog.of(accessLog.forLoop(loop), rings.forLoop(loop), RecordPrivacy.of(lines)));
    }
  }

  /** The log of a loop; always the same one, since a ring has one writer. */
  public RequestLog forLoop(int loop) {
    return logs.get(loop);
  }
}
