package io.forebay.server.cluster.fleet;

import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.config.ConfigText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The document that is in force on this node. Puts wanted versions in force, remembers which one
 * was refused, and keeps the last good one. Confined to the thread of the agent, except {@link
 * #version}.
 */
final class ActiveDocument {
  private static final Logger LOG = LoggerFactory.getLogger(ActiveDocument.class);

  /**
   * Time after which a refused version is tried again, since the node's own file may have changed.
   */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final FleetStore store;
  private final FleetNode node;
  private final FleetDirectory directory;
  private final LastGoodDocument lastGood;
  private final LongSupplier nanoTime;

  private volatile long version;

  /** The main file of that version; null for none. */
  private @Nullable Path main;

  /** The order whose version was found to be the one in force, by its content. */
  private String compared = "";

  /** Whether a document may be in force in part. */
  private boolean isUnsure;

  /** The version that was refused last; null where the wanted one is in force. */
  private @Nullable Refusal refusal;

  /** The version that is the last good document; -1 where that is not known. */
  private long saved = -1;

  /**
   * A version that this node has refused.
   *
   * @param order the order that wanted it
   */
  private record Refusal(long version, String order, long nanos, String why) {}

  /**
   * The document of a start.
   *
   * @param started null for none
   */
  ActiveDocument(
      FleetStore store,
      FleetNode node,
      FleetDirectory directory,
      LastGoodDocument lastGood,
      ConfigText.@Nullable Fleet started,
      LongSupplier nanoTime) {
    this.store = store;
    this.node = node;
    this.directory = directory;
    this.lastGood = lastGood;
    this.nanoTime = nanoTime;
    this.version = started == null ? 0 : started.version();
    this.main = started == null ? null : Path.of(started.file());
  }

  /** The version in force; 0 for none. Any thread. */
  long version() {
    return version;
  }

  /** The version that was refused; 0 where the wanted one is in force. */
  long refused() {
    Refusal latest = refusal;
    return latest == null ? 0 : latest.version();
  }

  /** Why it was refused; null where the wanted one is in force. */
  @Nullable String whyRefused() {
    Refusal latest = refusal;
    return latest == null ? null : latest.why();
  }

  /** No other version is wanted. */
  void keep() {
    refusal = null;
  }

  /** Puts a version in force, unless it is already, or was refused a short time ago. */
  void follow(long wanted, Rollout rollout)
      throws EtcdException, FleetException, InterruptedException {
    if (isInForce(wanted, rollout)) {
      refusal = null;
    } else if (isWorthTrying(wanted, rollout)) {
      take(wanted, rollout);
    }
  }

  /**
   * Whether a version is in force: its content, not its number alone, since an etcd that was
   * emptied or restored gives numbers out again. The hash is compared once for each order.
   */
  private boolean isInForce(long wanted, Rollout rollout)
      throws EtcdException, FleetException, InterruptedException {
    if (wanted != version || isUnsure) {
      return false;
    }
    Path has = main;
    if (wanted == 0 || has == null || compared.equals(rollout.id())) {
      return true;
    }
    boolean isSame = FleetDirectory.isOf(has, wanted, store.version(wanted).manifest());
    if (isSame) {
      compared = rollout.id();
    }
    return isSame;
  }

  private boolean isWorthTrying(long wanted, Rollout rollout) {
    Refusal latest = refusal;
    return latest == null
        || wanted != latest.version()
        || !latest.order().equals(rollout.id())
        || (!rollout.isRolling() && nanoTime.getAsLong() - latest.nanos() >= RETRY_NANOS);
  }

  /** A document that cannot be read back or unpacked is refused like one that is wrong. */
  private void take(long wanted, Rollout rollout) throws EtcdException, InterruptedException {
    Path unpacked = null;
    List<String> errors;
    try {
      if (wanted == 0) {
        errors = apply(null, "fleet");
      } else {
        DocumentVersion stored = store.version(wanted);
        unpacked = directory.unpack(wanted, stored.manifest(), store.document(stored.manifest()));
        errors =
            apply(new ConfigText.Fleet(unpacked.toString(), wanted), "fleet, " + stored.author());
      }
    } catch (FleetException e) {
      errors = List.of(String.valueOf(e.getMessage()));
    } catch (IOException e) {
      errors = List.of(e.toString());
    }
    if (errors.isEmpty()) {
      compared = rollout.id();
      saved = -1;
      LOG.info("version {} of the fleet's document is in force", wanted);
      version = wanted;
      main = unpacked;
      refusal = null;
      return;
    }
    String why =
        "version " + wanted + " of the fleet's document is refused: " + String.join("; ", errors);
    refusal = new Refusal(wanted, rollout.id(), nanoTime.getAsLong(), why);
    LOG.error("{}", why);
  }

  private List<String> apply(ConfigText.@Nullable Fleet document, String author) {
    try {
      List<String> errors = node.apply(document, author);
      isUnsure &= !errors.isEmpty();
      return errors;
    } catch (RuntimeException | StackOverflowError | LinkageError e) {
      // The next step applies the wanted version again.
      isUnsure = true;
      LOG.error("a document of the fleet failed", e);
      return List.of(e.toString());
    }
  }

  /** A version that all nodes should have becomes the last good document. */
  void settle() throws EtcdException, FleetException, IOException, InterruptedException {
    if (saved == version) {
      return;
    }
    Path kept = main;
    if (version == 0) {
      lastGood.delete();
    } else {
      lastGood.save(version, store.document(store.version(version).manifest()));
    }
    directory.keep(kept == null ? Set.of() : Set.of(kept));
    saved = version;
  }
}
