package io.forebay.server.tls.acme;

import io.forebay.server.text.Printable;
import io.forebay.server.tls.CertificatePair;
import io.forebay.server.tls.PemFile;
import io.forebay.server.tls.ServerCertificateCheck;
import io.forebay.server.tls.TlsException;
import io.forebay.server.tls.acme.AcmeCounters.SharedOutcome;
import io.forebay.server.tls.acme.AcmeOrderGroup.Changes;
import io.forebay.server.tls.acme.AcmeOrderGroup.SharedCertificate;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of one node in an {@link AcmeOrderGroup}, by three rules:
 *
 * <pre>
 *   the group's certificate is newer ─► check ─► file ─► in use
 *   the node's is newer ─────────────► publish
 *   one is due ──► claim ─► order ───► publish ─► release
 * </pre>
 *
 * <p>While the group cannot be asked, no order begins or goes on, and what is in use stays.
 * Confined to the manager's thread.
 */
final class GroupCertificates {
  private static final Logger LOG = LoggerFactory.getLogger(GroupCertificates.class);

  /** Between two looks at the group, which cost nothing while nothing changes. */
  static final long PERIOD_MILLIS = 2_000;

  /** Between two reads of all: what was refused for its time, or deleted, gets another chance. */
  private static final long REREAD_MILLIS = Duration.ofHours(1).toMillis();

  /** For so long a group that cannot be asked is not worth a line: a node has just started. */
  private static final long QUIET_MILLIS = Duration.ofSeconds(30).toMillis();

  private static final String SUBJECT = "acme with the cluster";
  private static final int MAX_CHAIN = 10;

  private final AcmeOrderGroup group;
  private final AcmeFiles files;
  private final AcmeCounters counters;
  private final DailyLog failures;

  private long readAllMillis;
  private boolean isStale;

  /** Whether the group has answered all that this step asked. */
  private boolean isReachable;

  /** When it last had answered all of a step. */
  private long answeredMillis;

  GroupCertificates(
      AcmeOrderGroup group, AcmeFiles files, AcmeCounters counters, DailyLog failures, long now) {
    this.group = group;
    this.files = files;
    this.counters = counters;
    this.failures = failures;
    this.readAllMillis = now;
    this.answeredMillis = now;
  }

  /** What has changed; empty where the group cannot be asked. */
  List<SharedCertificate> changes(Collection<ManagedHost> hosts, long now) {
    if (isStale || Math.abs(now - readAllMillis) >= REREAD_MILLIS) {
      isStale = false;
      readAllMillis = now;
      group.rewind();
    }
    if (isReachable) {
      answeredMillis = now;
      failures.succeeded(SUBJECT);
    }
    try {
      Changes changes = group.changes();
      if (changes.isComplete()) {
        for (ManagedHost host : hosts) {
          host.inGroup.absent();
        }
      }
      isReachable = true;
      return changes.certificates();
    } catch (IOException e) {
      onLost(e, now);
      return List.of();
    }
  }

  private void onLost(IOException failure, long now) {
    isReachable = false;
    if (now - answeredMillis >= QUIET_MILLIS) {
      failures.failed(
          SUBJECT,
          Printable.line(failure) + "; until etcd answers the node neither orders nor receives",
          now);
    }
  }

  /**
   * Checks and stores what another node ordered.
   *
   * @return the certificate to use; null where it is not newer, or is refused
   */
  @Nullable CertificatePair take(ManagedHost host, SharedCertificate shared, long now) {
    host.inGroup.seen(shared.beginMillis(), shared.revision());
    CertificatePair own = own(host);
    if (own != null && shared.beginMillis() <= beginMillis(own)) {
      if (shared.beginMillis() == beginMillis(own)) {
        onSameAge(host, shared);
      }
      return null;
    }
    String subject = "acme " + host.name + " from the cluster";
    CertificatePair pair;
    try {
      pair = checked(host.name, shared, now);
    } catch (TlsException e) {
      host.inGroup.refused();
      counters.countShared(SharedOutcome.REFUSED);
      failures.failed(
          subject,
          "the certificate that "
              + Printable.json(shared.node())
              + " ordered is refused: "
              + Printable.line(String.valueOf(e.getMessage()))
              + (host.pair == null ? "" : "; the last certificate stays in use"),
          now);
      return null;
    }
    failures.succeeded(subject);
    try {
      pair = files.certificate(host.name, pair.chain(), pair.key());
      files.deleteOrder(host.name);
    } catch (IOException e) {
      counters.failed(AcmeFailure.STORAGE);
      LOG.error(
          "acme {}: the certificate is in use but cannot be stored: {}",
          host.name,
          Printable.line(e));
    }
    host.inGroup.shared(shared.isOwn());
    counters.countShared(SharedOutcome.TAKEN);
    LOG.info(
        "acme {}: certificate received, ordered by {}, valid until {}",
        host.name,
        Printable.json(shared.node()),
        pair.leaf().getNotAfter().toInstant());
    return pair;
  }

  /** The group has a certificate of the age of the node's own. */
  private static void onSameAge(ManagedHost host, SharedCertificate shared) {
    if (shared.pem() != null) {
      // Of an earlier start, or published without an answer of etcd.
      host.inGroup.shared(shared.isOwn());
    } else if (shared.isOwn()) {
      // Damaged, or of an earlier secret of this node. Only one node does this, so it is no loop.
      host.inGroup.damaged();
    }
  }

  private CertificatePair checked(String name, SharedCertificate shared, long now)
      throws TlsException {
    String pem = shared.pem();
    if (pem == null) {
      throw new TlsException(
          "it cannot be decrypted: that node has another cluster.secret-file, or the value in etcd"
              + " was changed; give all nodes the same file and restart them");
    }
    CertificatePair pair;
    try {
      pair = files.pair(name, PemFile.certificates("it", pem), PemFile.privateKey("it", pem));
    } catch (IllegalArgumentException e) {
      throw new TlsException("it is not in PEM format");
    }
    if (pair.chain().size() > MAX_CHAIN) {
      throw new TlsException("it has a chain of " + pair.chain().size() + " certificates");
    }
    String refusal = ServerCertificateCheck.refusal(pair, name, Instant.ofEpochMilli(now));
    if (refusal != null) {
      throw new TlsException(refusal);
    }
    if (!pair.hasMatchingKey()) {
      throw new TlsException("its key is not that of the certificate");
    }
    if (beginMillis(pair) != shared.beginMillis()) {
      throw new TlsException("it is of another time than etcd has it");
    }
    return pair;
  }

  /** Publishes what the group lacks, and ends claims to orders that are over. */
  void settle(Map<String, ManagedHost> hosts, long now) {
    if (!isReachable) {
      return;
    }
    try {
      for (ManagedHost host : hosts.values()) {
        publish(host, now);
      }
      for (String name : group.claimed()) {
        ManagedHost host = hosts.get(name);
        if (host == null || !host.inGroup.keepsClaim()) {
          group.release(name);
        }
      }
    } catch (IOException e) {
      onLost(e, now);
    }
  }

  /** Ends all claims; what etcd does not take now ends with the node's lease. */
  void leave() {
    try {
      for (String name : group.claimed()) {
        group.release(name);
      }
    } catch (IOException e) {
      LOG.warn("acme: claims to orders last until this node stops: {}", Printable.line(e));
    }
  }

  private void publish(ManagedHost host, long now) throws IOException {
    CertificatePair own = own(host);
    if (own == null || endMillis(own) <= now || !host.inGroup.lacks(beginMillis(own))) {
      return;
    }
    long revision =
        group.publish(
            host.name,
            beginMillis(own),
            endMillis(own),
            AcmeFiles.pem(own.chain(), own.key()),
            host.inGroup.revision());
    if (revision == 0) {
      // The group has one that this node passed over, or has not read yet.
      isStale = true;
      return;
    }
    host.inGroup.published(beginMillis(own), revision);
    counters.countShared(SharedOutcome.PUBLISHED);
  }

  /**
   * Whether this node may begin the order of a name, or go on with it; if not, the name is due
   * again soon.
   */
  boolean mayOrder(ManagedHost host, long now) {
    boolean mayOrder = false;
    if (isReachable) {
      try {
        mayOrder = group.claim(host.name);
        if (mayOrder) {
          host.inGroup.claimed();
        }
      } catch (IOException e) {
        onLost(e, now);
      }
    }
    host.inGroup.answered(isReachable);
    if (!mayOrder) {
      host.dueMillis = now + PERIOD_MILLIS;
    }
    return mayOrder;
  }

  /** What is in use, if this authority issued it. */
  private @Nullable CertificatePair own(ManagedHost host) {
    CertificatePair pair = host.pair;
    return pair != null && files.isOwn(pair) ? pair : null;
  }

  private static long beginMillis(CertificatePair pair) {
    return pair.leaf().getNotBefore().toInstant().toEpochMilli();
  }

  private static long endMillis(CertificatePair pair) {
    return pair.leaf().getNotAfter().toInstant().toEpochMilli();
  }
}
