package io.forebay.server.cluster.fleet;

import io.forebay.server.cluster.Cluster;
import io.forebay.server.cluster.etcd.EtcdClient;
import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.cluster.fleet.FleetStore.Current;
import io.forebay.server.cluster.fleet.LastGoodDocument.Stored;
import io.forebay.server.cluster.member.ClusterKeyspace;
import io.forebay.server.config.ConfigOutcome;
import io.forebay.server.config.ConfigProblem;
import io.forebay.server.config.ConfigSource;
import io.forebay.server.config.ConfigText;
import io.forebay.server.config.FleetBootstrap;
import io.forebay.server.tls.TlsException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses the configuration of a start: the version in etcd that this node should have; if it is
 * out of reach or refused here, the last good document; without one, the node's file alone.
 */
public final class FleetStart {
  private static final Logger LOG = LoggerFactory.getLogger(FleetStart.class);

  private FleetStart() {}

  /** Loads the configuration of a node in a cluster. */
  public static ConfigOutcome load(ConfigSource source, FleetBootstrap own) {
    FleetDirectory directory = new FleetDirectory(own.data());
    List<String> notes = new ArrayList<>();
    try {
      ConfigOutcome wanted = wanted(source, own, directory, notes);
      if (wanted instanceof ConfigOutcome.Loaded) {
        return wanted;
      }
      ConfigOutcome lastGood = lastGood(source, own, directory, notes);
      if (lastGood instanceof ConfigOutcome.Loaded) {
        return lastGood;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    ConfigOutcome alone = source.load();
    if (alone instanceof ConfigOutcome.Refused refused && !notes.isEmpty()) {
      List<ConfigProblem> all = new ArrayList<>();
      notes.forEach(note -> all.add(new ConfigProblem("fleet", 0, 0, "", note, "")));
      all.addAll(refused.problems());
      return new ConfigOutcome.Refused(all);
    }
    return alone;
  }

  /**
   * What is left to try where a node cannot start with a document though it could be loaded, such
   * as one that names certificates which this node lacks; null for nothing.
   */
  public static @Nullable ConfigOutcome instead(
      ConfigSource source, FleetBootstrap own, ConfigOutcome failed) {
    ConfigText.Fleet document =
        failed instanceof ConfigOutcome.Loaded loaded ? loaded.text().fleet() : null;
    if (document == null) {
      return null;
    }
    ConfigOutcome lastGood =
        lastGood(source, own, new FleetDirectory(own.data()), new ArrayList<>());
    if (lastGood instanceof ConfigOutcome.Loaded loaded) {
      ConfigText.Fleet kept = loaded.text().fleet();
      if (kept != null && kept.version() < document.version()) {
        return lastGood;
      }
      loaded.config().plugins().set().close();
    }
    return source.load();
  }

  private static @Nullable ConfigOutcome wanted(
      ConfigSource source, FleetBootstrap own, FleetDirectory directory, List<String> notes)
      throws InterruptedException {
    try (EtcdClient etcd = new EtcdClient(Cluster.etcd(own.cluster().log()))) {
      FleetStore store = new FleetStore(etcd, new ClusterKeyspace(own.cluster().name()));
      Current current = store.current();
      if (current.revision() == 0) {
        // etcd is new or was emptied: the node uses its last good document.
        return null;
      }
      long version = RolloutPlan.wanted(current.rollout(), own.node(), own.cluster().group());
      if (version == 0) {
        return source.load();
      }
      DocumentVersion stored = store.version(version);
      Path main = directory.unpack(version, stored.manifest(), store.document(stored.manifest()));
      return loaded(source, new ConfigText.Fleet(main.toString(), version), notes);
    } catch (EtcdException | FleetException | IOException e) {
      note(notes, "the fleet's document cannot be read: " + e.getMessage());
    } catch (TlsException e) {
      note(notes, "the fleet's document cannot be read: " + String.join("; ", e.lines()));
    }
    return null;
  }

  private static @Nullable ConfigOutcome lastGood(
      ConfigSource source, FleetBootstrap own, FleetDirectory directory, List<String> notes) {
    Stored stored = new LastGoodDocument(directory.root(), own.cluster().name()).load();
    if (stored == null) {
      return null;
    }
    try {
      Path main = directory.unpack(stored.version(), stored.manifest(), stored.document());
      LOG.warn("the node starts with the last good document, version {}", stored.version());
      return loaded(source, new ConfigText.Fleet(main.toString(), stored.version()), notes);
    } catch (IOException e) {
      note(notes, "the last good document cannot be used: " + e);
      return null;
    }
  }

  private static ConfigOutcome loaded(
      ConfigSource source, ConfigText.Fleet document, List<String> notes) {
    ConfigOutcome outcome = source.load(document);
    if (outcome instanceof ConfigOutcome.Refused refused) {
      for (ConfigProblem problem : refused.problems()) {
        note(notes, "version " + document.version() + " is refused: " + problem);
      }
    }
    return outcome;
  }

  private static void note(List<String> notes, String text) {
    LOG.warn("{}", text);
    notes.add(text);
  }
}
