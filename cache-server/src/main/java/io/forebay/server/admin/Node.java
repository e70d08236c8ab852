package io.forebay.server.admin;

import io.forebay.core.http.RequestView;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.exchange.Explanation;
import io.forebay.server.metric.LoopCounters;
import io.forebay.server.tls.CertificateStatus;
import io.forebay.server.tls.TlsForecast;
import io.forebay.storage.PurgeEstimate;
import io.forebay.storage.PurgeStatus;
import io.forebay.storage.StoreInspection;
import io.forebay.storage.StoreStats;
import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.inspect.Survey;
import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What the admin API and the metrics see of a running node. Every method may be called by any
 * thread.
 */
public interface Node {

  /** The configuration in force now. */
  ServerConfig config();

  /** Reasons why the node should get no traffic; empty means ready. */
  List<NotReady> notReady();

  /** What an operator should look at though the node is ready. */
  default List<NotReady> warnings() {
    String problem = memory().problem();
    return problem == null ? List.of() : List.of(new NotReady("memory", problem));
  }

  /** The memory of the process, and what it can have. */
  default Memory memory() {
    return new Memory(0, 0, 0, 0, null);
  }

  List<LoopCounters> counters();

  /** Share of the last second each loop was busy, 0 to 1; same order as {@link #counters}. */
  double[] busyShares();

  /** Bytes that are held at this moment for clients that do not take them. */
  long privateCopyBytes();

  /** Whether the last purge could not be made durable, so that it has to be repeated. */
  boolean isPurgeFailing();

  /** Counters and levels of the store. */
  StoreStats store();

  /** The certificates that clients are shown. */
  default List<CertificateStatus> certificates() {
    return List.of();
  }

  /** What each TLS listener would show a client that asks for a host. */
  default List<TlsForecast> tlsForecasts(String host) {
    return List.of();
  }

  /** Counters and levels of each device of the disk tier. */
  default List<DiskStats> disks() {
    return List.of();
  }

  /**
   * Takes a device out of use, into use, or empties it. Blocks for its disk.
   *
   * @throws IllegalArgumentException when there is no such device
   * @throws IOException when the device fails
   */
  default void disk(String name, DiskAction action) throws IOException {
    throw new IllegalArgumentException("no disk is named " + name);
  }

  /** Looks at what is stored; null before the store is open. */
  default @Nullable StoreInspection inspection() {
    return null;
  }

  /**
   * The keys under which this node stores what a URL names: one, or two (http and https) where it
   * has no scheme.
   *
   * @throws IllegalArgumentException when no request can be for it
   */
  default List<StoreReport.Target> storeTargets(String url) {
    throw new IllegalArgumentException("not a URL that could be requested here: " + url);
  }

  /**
   * What would become of a request at this moment; nothing is done.
   *
   * @param survey of {@link #inspection}, on its thread
   */
  default Explanation explain(Survey survey, RequestView request) throws IOException {
    throw new IOException("there is nothing that could be explained");
  }

  /** What can be done to a device of the disk tier. */
  enum DiskAction {
    /** What is on it counts as missing until it is online again. */
    OFFLINE,
    /** In use again, as it was left, or empty if it missed too much. */
    ONLINE,
    /** Emptied, and in use. */
    REINIT
  }

  /**
   * What is wrong with an order, found without purging anything; null when it can be carried out.
   * Every order of a batch is asked for before the first one is made.
   */
  default @Nullable String purgeProblem(PurgeOrder order) {
    return null;
  }

  /**
   * Purges durably: when this returns, nothing the order matches is served to a later request.
   *
   * @throws PurgeRefusedException when the order cannot be understood or could not be made durable;
   *     nothing was purged
   */
  PurgeDone purge(PurgeOrder order) throws PurgeRefusedException;

  /**
   * Counts what an order would purge, and purges nothing. Blocks while it counts, at most so long.
   *
   * @throws PurgeRefusedException when the order cannot be understood, or while another is counted
   */
  default PurgeEstimate dryRun(PurgeOrder order, long mostMillis) throws PurgeRefusedException {
    throw new PurgeRefusedException("there is nothing to count", Refusal.FOR_NOW);
  }

  /** What became of a purge; null when nothing is known of it. */
  default @Nullable PurgeStatus purgeStatus(long id) {
    return null;
  }

  /** The latest purges, newest first. */
  default List<PurgeStatus> latestPurges(int most) {
    return List.of();
  }

  /** Reads the configuration again and swaps it in; a bad one changes nothing. */
  Reload reload();

  /** Addresses that are being listened on. */
  List<Listening> listening();

  /**
   * The memory of the process.
   *
   * @param budgetBytes what all parts may add up to
   * @param limitBytes of the tightest of the control groups, or of the machine; 0 if not known
   * @param freeBytes that may still be taken before the kernel ends somebody
   * @param pressure share of the last seconds in which somebody waited for memory
   * @param problem what is wrong, or null
   */
  record Memory(
      long budgetBytes,
      long limitBytes,
      long freeBytes,
      double pressure,
      @Nullable String problem) {}

  /** One reason for not being ready: a stable token and a sentence. */
  record NotReady(String code, String detail) {}

  /** A bound address; {@code scheme} is http or https. */
  record Listening(String name, String scheme, String host, int port, boolean isDirect) {}

  /** What a purge names. */
  enum PurgeKind {
    URL,
    HOST,
    PREFIX,
    TAG,
    PATTERN,
    EVERYTHING
  }

  /**
   * One thing to purge; {@code text} is the URL, host, prefix or tag as the operator wrote it, or a
   * pattern as {@link io.forebay.server.purge.PurgePredicate} reads it.
   */
  record PurgeOrder(PurgeKind kind, String text, boolean isSoft) {}

  /**
   * A purge that is on disk and in force.
   *
   * @param matched objects it killed at once, where that is known without a sweep
   */
  record PurgeDone(long id, long sequence, OptionalLong matched, long tookNanos) {}

  /** Whose doing it is that a purge was refused. */
  enum Refusal {
    /** The order itself is wrong. */
    ORDER,
    /** The journal can't be written. */
    JOURNAL,
    /** There is too much of it at the moment. */
    FOR_NOW
  }

  /** Nothing was purged, and why. */
  final class PurgeRefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final Refusal refusal;

    public PurgeRefusedException(String message, Refusal refusal) {
      super(message);
      this.refusal = refusal;
    }

    public Refusal refusal() {
      return refusal;
    }
  }

  /**
   * Outcome of a reload.
   *
   * @param changed keys whose values differ from before
   * @param needsRestart keys whose values differ from those the node started with and that only
   *     take effect at the next start, whichever reload brought them
   * @param errors why it was refused; empty means it was applied
   */
  record Reload(long id, List<String> changed, List<String> needsRestart, List<String> errors) {}
}
