package io.forebay.server.cluster.fleet;

import io.forebay.server.cluster.etcd.EtcdClient;
import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.cluster.etcd.KeyValue;
import io.forebay.server.cluster.etcd.Range;
import io.forebay.server.cluster.etcd.RangeResult;
import io.forebay.server.cluster.etcd.Txn;
import io.forebay.server.cluster.etcd.TxnResult;
import io.forebay.server.cluster.fleet.FleetException.Kind;
import io.forebay.server.cluster.member.ClusterKeyspace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Versions of the document and the roll-out, in etcd. Parts are written without a condition. Every
 * other change is one transaction with the condition that the roll-out has not changed, and it
 * writes the roll-out again. So of two decisions one takes effect, and no part is deleted that a
 * push counts on. Any thread that may block.
 */
final class FleetStore {
  /** Versions that etcd keeps. */
  static final int MAX_VERSIONS = 50;

  private static final int PAGE = 100;

  private static final int DELETIONS = 100;

  private final EtcdClient etcd;
  private final ClusterKeyspace keys;

  FleetStore(EtcdClient etcd, ClusterKeyspace keys) {
    this.etcd = etcd;
    this.keys = keys;
  }

  /** The roll-out, and the revision at which it was written; 0 where there was none yet. */
  record Current(Rollout rollout, long revision) {}

  Current current() throws EtcdException, InterruptedException, FleetException {
    return current(etcd.txn(new Txn().get(keys.rollout())).read(0).findFirst().orElse(null));
  }

  static Current current(@Nullable KeyValue kv) throws FleetException {
    if (kv == null) {
      return new Current(Rollout.NONE, 0);
    }
    Rollout rollout = FleetJson.rollout(kv.value());
    if (rollout == null) {
      throw new FleetException(
          Kind.UNAVAILABLE, "the roll-out in etcd cannot be read: " + kv.key());
    }
    return new Current(rollout, kv.revision());
  }

  /** Writes a decision; false where another one was written first. */
  boolean change(Rollout next, long revision) throws EtcdException, InterruptedException {
    return commit(new Txn(), next, revision);
  }

  private boolean commit(Txn txn, Rollout next, long revision)
      throws EtcdException, InterruptedException {
    // Two operators may give the same order in the same second.
    String text = FleetJson.text(FleetJson.json(next).put("write", UUID.randomUUID().toString()));
    TxnResult done =
        etcd.txn(
            txn.ifRevision(keys.rollout(), revision)
                .put(keys.rollout(), text)
                .otherwiseGet(keys.rollout()));
    // Sent twice, the transaction finds what it has written the first time.
    return done.isDone() || done.read(0).anyMatch(kv -> kv.value().equals(text));
  }

  // --- versions ---------------------------------------------------------------------------------

  void putPart(String hash, String text) throws EtcdException, InterruptedException {
    TxnResult ignored = etcd.txn(new Txn().put(keys.configPart(hash), text));
  }

  /** Adds versions and the roll-out that begins with the last of them. */
  boolean add(List<DocumentVersion> versions, Rollout next, long revision)
      throws EtcdException, InterruptedException {
    Txn txn = new Txn();
    for (DocumentVersion added : versions) {
      Txn ignored =
          txn.put(keys.configVersion(added.version()), FleetJson.text(FleetJson.json(added)));
    }
    return commit(txn, next, revision);
  }

  /** All versions, the oldest first. */
  List<DocumentVersion> versions() throws EtcdException, InterruptedException {
    List<DocumentVersion> versions = new ArrayList<>();
    for (KeyValue kv : all(keys.configVersions(), etcd::range)) {
      DocumentVersion stored = FleetJson.documentVersion(kv.value());
      if (stored != null) {
        versions.add(stored);
      }
    }
    return versions;
  }

  DocumentVersion version(long version) throws EtcdException, InterruptedException, FleetException {
    KeyValue kv =
        etcd.txn(new Txn().get(keys.configVersion(version))).read(0).findFirst().orElse(null);
    DocumentVersion stored = kv == null ? null : FleetJson.documentVersion(kv.value());
    if (stored == null || stored.version() != version) {
      throw new FleetException(
          Kind.UNKNOWN, "there is no version " + version + ": see forebay cluster config history");
    }
    return stored;
  }

  /** The document of a manifest. */
  FleetDocument document(String manifest)
      throws EtcdException, InterruptedException, FleetException {
    return document(manifest, Map.of());
  }

  /** The same where some of its parts are known. */
  FleetDocument document(String manifest, Map<String, String> known)
      throws EtcdException, InterruptedException, FleetException {
    Map<String, String> parts = new HashMap<>(known);
    for (String hash : parts(manifest, parts)) {
      if (!parts.containsKey(hash)) {
        fetch(hash, parts);
      }
    }
    return DocumentParts.read(manifest, parts);
  }

  /** The hashes of all parts of a document, its manifest among them. */
  Set<String> hashes(String manifest, Map<String, String> known)
      throws EtcdException, InterruptedException, FleetException {
    Set<String> hashes = new HashSet<>(parts(manifest, new HashMap<>(known)));
    hashes.add(manifest);
    return hashes;
  }

  /** The hashes that a manifest lists; adds the manifest itself. */
  private List<String> parts(String manifest, Map<String, String> parts)
      throws EtcdException, InterruptedException, FleetException {
    if (!parts.containsKey(manifest)) {
      fetch(manifest, parts);
    }
    return DocumentParts.listing(DocumentParts.piece(manifest, parts)).parts();
  }

  private void fetch(String hash, Map<String, String> parts)
      throws EtcdException, InterruptedException {
    for (KeyValue kv : etcd.txn(new Txn().get(keys.configPart(hash))).read(0).toList()) {
      parts.put(hash, kv.value());
    }
  }

  /**
   * Deletes all but the last {@value #MAX_VERSIONS} versions, and parts that no version has. Each
   * transaction has the condition that the roll-out has not changed, and writes it again. So a push
   * that counts on a part which is deleted meanwhile fails and is repeated.
   */
  void collect() throws EtcdException, InterruptedException, FleetException {
    Current current = current();
    List<DocumentVersion> versions = versions();
    Set<String> used = new HashSet<>();
    List<String> old = new ArrayList<>();
    for (int i = 0; i < versions.size(); i++) {
      DocumentVersion stored = versions.get(i);
      long version = stored.version();
      boolean isKept =
          i >= versions.size() - MAX_VERSIONS
              || version == current.rollout().version()
              || version == current.rollout().previous()
              || version == current.rollout().candidate();
      if (!isKept) {
        old.add(keys.configVersion(version));
        continue;
      }
      used.add(stored.manifest());
      Map<String, String> manifest = new HashMap<>();
      fetch(stored.manifest(), manifest);
      // A version without its manifest cannot be read: it must not keep all else for ever.
      if (!manifest.isEmpty()) {
        used.addAll(parts(stored.manifest(), manifest));
      }
    }
    for (KeyValue part : all(keys.configParts(), etcd::names)) {
      if (!used.contains(part.key().substring(keys.configParts().length()))) {
        old.add(part.key());
      }
    }
    long revision = current.revision();
    for (int from = 0; from < old.size(); from += DELETIONS) {
      Txn txn = new Txn();
      old.subList(from, Math.min(old.size(), from + DELETIONS)).forEach(txn::delete);
      TxnResult done =
          etcd.txn(
              txn.ifRevision(keys.rollout(), revision)
                  .put(keys.rollout(), FleetJson.text(FleetJson.json(current.rollout()))));
      if (!done.isDone()) {
        return;
      }
      revision = done.revision();
    }
  }

  private interface Page {
    RangeResult read(Range range) throws EtcdException, InterruptedException;
  }

  private static List<KeyValue> all(String prefix, Page page)
      throws EtcdException, InterruptedException {
    List<KeyValue> all = new ArrayList<>();
    Range range = Range.first(prefix, PAGE);
    while (true) {
      RangeResult result = page.read(range);
      all.addAll(result.keys());
      if (!result.hasMore() || result.keys().isEmpty()) {
        return all;
      }
      range = range.after(result.keys().getLast().key());
    }
  }
}
