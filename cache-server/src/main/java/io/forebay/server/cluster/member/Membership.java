package io.forebay.server.cluster.member;

import io.forebay.server.cluster.etcd.EtcdClient;
import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.cluster.etcd.KeyValue;
import io.forebay.server.cluster.etcd.Txn;
import io.forebay.server.cluster.etcd.TxnResult;
import io.forebay.server.config.ClusterConfig.CutOff;
import io.forebay.server.text.Printable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The nodes of the cluster in etcd, including this one. Any thread that may block. */
public final class Membership {
  /**
   * {@link #refresh} reads the list of so many nodes at each call, and a list n times as long at
   * each n-th call.
   */
  private static final int SHORT_LIST = 20;

  private static final int MAX_CALLS = 10;

  /** For how long a read of the fleet's configuration counts as new. */
  private static final long CURRENT_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** How far two beats are apart at most while etcd answers. */
  private static final long BEAT_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final EtcdClient etcd;
  private final ClusterKeyspace keys;
  private final Member self;
  private final NodeIdentity identity;
  private final long leaseSeconds;

  /** The lease; 0 for none. Written by the thread of the heartbeat alone. */
  private volatile long lease;

  /**
   * Whether this start of the node has registered its name before. Confined to the thread of the
   * heartbeat.
   */
  private boolean wasAlive;

  /** This node's {@code alive/NODE} by the latest read; null where another start has written it. */
  private volatile @Nullable KeyValue own;

  private volatile List<Member> known = List.of();
  private volatile Consumer<List<Member>> observer = members -> {};
  private volatile boolean isListWanted = true;
  private int refreshes;
  private volatile String report = "";
  private volatile Map<String, String> reports = Map.of();
  private volatile @Nullable Fleet fleet;

  /** By {@link System#nanoTime}, before the latest read of all nodes. */
  private volatile long listNanos;

  /** What a heartbeat reads for the fleet, at which revision of etcd, and when it began to. */
  private record Fleet(
      @Nullable KeyValue rollout, List<KeyValue> shared, long revision, long readNanos) {}

  /**
   * The membership of a node.
   *
   * @param leaseSeconds longer than a fence lasts
   */
  public Membership(
      EtcdClient etcd,
      ClusterKeyspace keys,
      Member self,
      NodeIdentity identity,
      long leaseSeconds) {
    this.etcd = etcd;
    this.keys = keys;
    this.self = self;
    this.identity = identity;
    this.leaseSeconds = leaseSeconds;
  }

  public Member self() {
    return self;
  }

  /** The nodes by the latest read. Never blocks. */
  public List<Member> known() {
    return known;
  }

  /** Whether the latest read has a node; if not, the next {@link #refresh} reads all nodes. */
  public boolean isKnown(String name) {
    boolean isKnown = known.stream().anyMatch(member -> member.name().equals(name));
    if (!isKnown) {
      isListWanted = true;
    }
    return isKnown;
  }

  /**
   * Reads the nodes: at each call where they are few, or if an unknown node has connected; else at
   * least at each tenth call. One thread at a time.
   */
  public void refresh() throws EtcdException, InterruptedException {
    if (refreshes++ % callsBetweenLists() == 0 || isListWanted) {
      isListWanted = false;
      List<Member> ignored = members();
    }
  }

  private int callsBetweenLists() {
    return Math.clamp(known.size() / SHORT_LIST, 1, MAX_CALLS);
  }

  /**
   * Whether this node has the first name among those that are alive. Two nodes may answer yes at
   * the same time.
   */
  public boolean isFirstAlive() {
    return known.stream()
        .filter(Member::isAlive)
        .map(Member::name)
        .min(Comparator.naturalOrder())
        .filter(self.name()::equals)
        .isPresent();
  }

  private void known(List<Member> now) {
    known = now;
    observer.accept(now);
  }

  /** Sets the listener that gets the nodes after each read; it replaces an earlier one. */
  public void observe(Consumer<List<Member>> told) {
    observer = told;
  }

  /**
   * Registers this node as alive, or prolongs its lease.
   *
   * @throws NameTakenException when another node has its name
   */
  public void keepAlive() throws EtcdException, InterruptedException, NameTakenException {
    if (lease == 0 || !etcd.keepAlive(lease)) {
      lease = 0;
      register();
      return;
    }
    KeyValue written = own;
    String alive = MemberJson.alive(identity, report);
    if (written != null && !written.value().equals(alive)) {
      // The transaction has a condition. If it arrives twice or late it changes nothing, and the
      // next read decides what to do.
      TxnResult ignored =
          etcd.txn(
              new Txn()
                  .ifRevision(written.key(), written.revision())
                  .put(written.key(), alive, lease));
    }
  }

  /**
   * The lease that lasts while this node is alive; 0 for none now. Never blocks.
   *
   * <p>A key that is written with it is deleted when the node dies or stops, or when etcd has not
   * heard of it for the time of a lease.
   */
  public long lease() {
    return lease;
  }

  /**
   * Sets this node's report of its configuration. Other nodes see it after the next heartbeat.
   *
   * @param json an object, a few hundred bytes
   */
  public void report(String json) {
    report = json;
  }

  /**
   * The state of the fleet's configuration by the latest reads. Each heartbeat reads the roll-out;
   * reports come with the list of nodes, so they may be older. Null until both were read.
   */
  public @Nullable FleetConfigState config() {
    Fleet read = fleet;
    List<Member> members = known;
    return read == null || members.isEmpty()
        ? null
        : new FleetConfigState(
            read.rollout(), members, reports, read.shared(), read.revision(), read.readNanos());
  }

  /**
   * Whether {@link #config} is as new as it is while etcd answers.
   *
   * @param now by {@link System#nanoTime}
   */
  public boolean isConfigCurrent(long now) {
    Fleet read = fleet;
    return read != null
        && now - read.readNanos() < CURRENT_NANOS
        && now - listNanos < CURRENT_NANOS + callsBetweenLists() * BEAT_NANOS;
  }

  private void register() throws EtcdException, InterruptedException, NameTakenException {
    TxnResult held = etcd.txn(new Txn().get(keys.alive(self.name())));
    KeyValue holder = held.read(0).findFirst().orElse(null);
    NodeIdentity other = holder == null ? null : MemberJson.identity(holder.value());
    // A later start has a copy of this data directory, and has the name now.
    boolean isLater = other != null && wasAlive && !other.equals(identity);
    if (isLater || (other != null && !other.isSameNode(identity))) {
      throw new NameTakenException(self.name());
    }
    long granted = etcd.grant(leaseSeconds);
    // Stored before its first use, so that a thread that is interrupted can still end the lease.
    lease = granted;
    TxnResult done =
        etcd.txn(
            new Txn()
                .ifRevision(keys.alive(self.name()), holder == null ? 0 : holder.revision())
                .put(keys.alive(self.name()), MemberJson.alive(identity, report), granted)
                .put(keys.member(self.name()), MemberJson.member(self))
                // An earlier start has confirmed what this one may not have read yet.
                .delete(keys.answering(self.name()))
                .otherwiseGet(keys.alive(self.name())));
    // Sent twice, the transaction finds what it has written the first time.
    boolean isOwn =
        done.isDone()
            || done.read(0).anyMatch(kv -> identity.equals(MemberJson.identity(kv.value())));
    if (!isOwn) {
      lease = 0;
      throw new NameTakenException(self.name());
    }
    wasAlive = true;
  }

  /** Reads the state of the log linearizably: a few keys, for any number of nodes. */
  public LogHead head() throws EtcdException, InterruptedException {
    long now = System.nanoTime();
    TxnResult read =
        etcd.txn(
            new Txn()
                .get(keys.epoch())
                .get(keys.last())
                .get(keys.floor())
                .get(keys.alive(self.name()))
                .get(keys.draining(self.name()))
                .get(keys.rollout())
                .getAll(keys.shared()));
    KeyValue epoch = read.read(0).findFirst().orElse(null);
    KeyValue alive =
        read.read(3)
            .filter(kv -> identity.equals(MemberJson.identity(kv.value())))
            .findFirst()
            .orElse(null);
    own = alive;
    fleet =
        new Fleet(
            read.read(5).findFirst().orElse(null), read.read(6).toList(), read.revision(), now);
    return new LogHead(
        epoch == null ? null : LogName.of(epoch.value(), read.clusterId()),
        epoch == null ? 0 : epoch.revision(),
        read.revision(),
        read.read(1).mapToLong(KeyValue::revision).findFirst().orElse(0),
        read.read(2).mapToLong(Membership::number).findFirst().orElse(0),
        alive != null,
        read.read(4).findAny().isPresent());
  }

  private Map<String, String> reports(List<KeyValue> alive) {
    Map<String, String> reports = new HashMap<>();
    for (KeyValue kv : alive) {
      String said = MemberJson.config(kv.value());
      if (said != null) {
        reports.put(kv.key().substring(keys.alive().length()), said);
      }
    }
    return Map.copyOf(reports);
  }

  private static long number(KeyValue kv) {
    return kv.value().matches("[0-9]{1,18}") ? Long.parseLong(kv.value()) : Long.MAX_VALUE;
  }

  /** Reads the nodes linearizably. */
  public List<Member> members() throws EtcdException, InterruptedException {
    long now = System.nanoTime();
    TxnResult read =
        etcd.txn(new Txn().getAll(keys.members()).getAll(keys.alive()).getAll(keys.draining()));
    List<Member> members = members(read.reads().get(0), read.reads().get(1), read.reads().get(2));
    // Read before the nodes, so there is a report of each node that is alive.
    reports = reports(read.reads().get(1));
    known(members);
    listNanos = now;
    return members;
  }

  /** The nodes of two reads, without drains. */
  public List<Member> members(List<KeyValue> members, List<KeyValue> alive) {
    return members(members, alive, List.of());
  }

  private List<Member> members(
      List<KeyValue> members, List<KeyValue> alive, List<KeyValue> draining) {
    Set<String> living = names(alive, keys.alive());
    Set<String> drained = names(draining, keys.draining());
    List<Member> found = new ArrayList<>();
    for (KeyValue kv : members) {
      String name = kv.key().substring(keys.members().length());
      boolean isAlive = living.contains(name);
      Member member = MemberJson.read(name, kv.value(), isAlive, drained.contains(name));
      // An entry that cannot be read becomes a node without an address, which never counts as
      // fenced. Its name goes into receipts and logs, so it is made printable.
      found.add(
          member == null || name.isEmpty() || !name.equals(Printable.json(name))
              ? new Member(Printable.json(name), "", "", CutOff.SERVE, "", isAlive)
              : member);
    }
    return List.copyOf(found);
  }

  private static Set<String> names(List<KeyValue> found, String prefix) {
    Set<String> names = new HashSet<>();
    found.forEach(kv -> names.add(kv.key().substring(prefix.length())));
    return names;
  }

  /** Drains a node, or ends its drain; false where the cluster has no such node. */
  public boolean drain(String name, boolean isDraining) throws EtcdException, InterruptedException {
    if (members().stream().noneMatch(one -> one.name().equals(name))) {
      return false;
    }
    Txn txn = new Txn();
    TxnResult ignored =
        etcd.txn(
            isDraining
                ? txn.put(keys.draining(name), MemberJson.draining(self.name()))
                : txn.delete(keys.draining(name)));
    isListWanted = true;
    return true;
  }

  /** The outcome of {@link #forget}. */
  public enum Forgotten {
    DONE,
    UNKNOWN,
    ALIVE
  }

  /** Removes a node that is not alive, so that purges no longer wait for it. */
  public Forgotten forget(String name) throws EtcdException, InterruptedException {
    @Nullable Member member =
        members().stream().filter(one -> one.name().equals(name)).findFirst().orElse(null);
    if (member == null) {
      return Forgotten.UNKNOWN;
    }
    TxnResult done =
        etcd.txn(
            new Txn()
                .ifAbsent(keys.alive(name))
                .delete(keys.member(name))
                .delete(keys.draining(name))
                .delete(keys.challenges(name)));
    return done.isDone() ? Forgotten.DONE : Forgotten.ALIVE;
  }

  /** {@code alive/NODE} is no longer this node's: the next {@link #keepAlive} writes it again. */
  public void lost() {
    lease = 0;
  }

  /**
   * Leaves the cluster. The node uses no stored object until it has registered again and caught up.
   */
  public void leave() throws EtcdException, InterruptedException {
    if (lease == 0) {
      return;
    }
    if (self.cutOff() == CutOff.SERVE) {
      // A stopped node serves nothing, so purges need not wait for it.
      Member stopped =
          new Member(
              self.name(),
              self.group(),
              self.address(),
              CutOff.FENCE,
              self.version(),
              false,
              false,
              self.share());
      TxnResult ignored =
          etcd.txn(new Txn().put(keys.member(self.name()), MemberJson.member(stopped)));
    }
    etcd.revoke(lease);
    lease = 0;
  }
}
