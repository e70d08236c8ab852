package io.forebay.server.purge;

import io.forebay.server.text.Printable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs purges to {@code forebay.audit}, whatever their source. Any thread. */
public final class PurgeAudit {
  private static final Logger AUDIT = LoggerFactory.getLogger("forebay.audit");
  private static final int MAX_TEXT = 1000;

  private PurgeAudit() {}

  /** A purge is on disk and in force. */
  public static void done(String caller, PurgeOrder order, PurgeDone done) {
    AUDIT.info(
        "purge done caller={} kind={} text=\"{}\" soft={} id={} sequence={} took_us={}",
        caller,
        order.kind().label(),
        shown(order.text()),
        order.isSoft(),
        done.id(),
        done.sequence(),
        done.tookNanos() / 1000);
  }

  /** A purge was not made. */
  public static void failed(String caller, PurgeOrder order, String reason) {
    AUDIT.error(
        "purge failed caller={} kind={} text=\"{}\" soft={} reason=\"{}\"",
        caller,
        order.kind().label(),
        shown(order.text()),
        order.isSoft(),
        Printable.json(reason));
  }

  /** Nothing was attempted. */
  public static void refused(String caller, int problems) {
    AUDIT.warn("purge refused caller={} problems={}", caller, problems);
  }

  private static String shown(String text) {
    return Printable.json(text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) + "…" : text);
  }
}
