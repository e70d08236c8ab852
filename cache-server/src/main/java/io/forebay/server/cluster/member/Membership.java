package io.forebay.server.cluster.member;

import io.forebay.server.cluster.etcd.EtcdClient;
import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.cluster.etcd.KeyValue;
import io.forebay.server.cluster.etcd.Txn;
import io.forebay.server.cluster.etcd.TxnResult;
import io.forebay.server.config.ClusterConfig.CutOff;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The nodes of the cluster in etcd, this one among them. Any thread that may block. */
public final class Membership {
  /** Nodes whose list is read at each call; with more of them it is read less often. */
  private static final int SHORT_LIST = 20;

  private static final int MAX_CALLS = 10;

  private final EtcdClient etcd;
  private final ClusterKeyspace keys;
  private final Member self;
  private final NodeIdentity identity;
  private final long leaseSeconds;

  /** 0 for none. Confined to the thread that beats. */
  private long lease;

  /** Whether this start was ever alive under its name. Confined to the thread that beats. */
  private boolean wasAlive;

  /** {@code alive/NODE} of this node as it was read last; null where it is not this node's. */
  private volatile @Nullable KeyValue own;

  private volatile List<Member> known = List.of();
  private volatile Consumer<List<Member>> observer = members -> {};
  private volatile boolean isListWanted = true;
  private int refreshes;
  private volatile String report = "";
  private volatile Map<String, String> reports = Map.of();
  private volatile @Nullable Fleet fleet;

  /** What a heartbeat reads for the fleet. */
  private record Fleet(@Nullable KeyValue rollout, List<KeyValue> shared) {}

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

  /** The nodes that etcd had when it was asked last. */
  public List<Member> known() {
    return known;
  }

  /** Whether a node was known then; the next {@link #refresh} reads all nodes if not. */
  public boolean isKnown(String name) {
    boolean isKnown = known.stream().anyMatch(member -> member.name().equals(name));
    if (!isKnown) {
      isListWanted = true;
    }
    return isKnown;
  }

  /**
   * Reads the nodes: at each call where they are few, or if a node has asked that was not known;
   * else at each tenth call at least. One thread at a time.
   */
  public void refresh() throws EtcdException, InterruptedException {
    if (refreshes++ % Math.clamp(known.size() / SHORT_LIST, 1, MAX_CALLS) == 0 || isListWanted) {
      isListWanted = false;
      List<Member> ignored = members();
    }
  }

  /**
   * Whether this is the first of the nodes that are alive, by name; nodes may not agree on that.
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

  /** Is told the nodes whenever etcd was asked. In place of the one before. */
  public void observe(Consumer<List<Member>> told) {
    observer = told;
  }

  /**
   * Makes this node a member that is alive, or prolongs that.
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
      // Guarded: sent twice, or late, it changes nothing, and the next read says what to do.
      TxnResult ignored =
          etcd.txn(
              new Txn()
                  .ifRevision(written.key(), written.revision())
                  .put(written.key(), alive, lease));
    }
  }

  /**
   * Has other nodes see what this one says of its configuration, from its next heartbeat on.
   *
   * @param json an object, a few hundred bytes
   */
  public void report(String json) {
    report = json;
  }

  /**
   * What was read of the fleet's configuration last: the roll-out by a heartbeat, the reports with
   * the list of nodes, so they may be older. Null until both were read.
   */
  public @Nullable FleetConfigState config() {
    Fleet read = fleet;
    List<Member> members = known;
    return read == null || members.isEmpty()
        ? null
        : new FleetConfigState(read.rollout(), members, reports, read.shared());
  }

  private void register() throws EtcdException, InterruptedException, NameTakenException {
    TxnResult held = etcd.txn(new Txn().get(keys.alive(self.name())));
    KeyValue holder = held.read(0).findFirst().orElse(null);
    NodeIdentity other = holder == null ? null : MemberJson.identity(holder.value());
    // The data directory of a later start has been copied: that one has the name now.
    boolean isLater = other != null && wasAlive && !other.equals(identity);
    if (isLater || (other != null && !other.isSameNode(identity))) {
      throw new NameTakenException(self.name());
    }
    long granted = etcd.grant(leaseSeconds);
    // Known before it is used: who is interrupted meanwhile can still give it back.
    lease = granted;
    TxnResult done =
        etcd.txn(
            new Txn()
                .ifRevision(keys.alive(self.name()), holder == null ? 0 : holder.revision())
                .put(keys.alive(self.name()), MemberJson.alive(identity, report), granted)
                .put(keys.member(self.name()), MemberJson.member(self))
                .otherwiseGet(keys.alive(self.name())));
    // A repeated transaction finds what its first sending has written.
    boolean isOwn =
        done.isDone()
            || done.read(0).anyMatch(kv -> identity.equals(MemberJson.identity(kv.value())));
    if (!isOwn) {
      lease = 0;
      throw new NameTakenException(self.name());
    }
    wasAlive = true;
  }

  /** Reads linearizably how far the log is; a few keys, however many nodes there are. */
  public LogHead head() throws EtcdException, InterruptedException {
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
    fleet = new Fleet(read.read(5).findFirst().orElse(null), read.read(6).toList());
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

  /** Reads linearizably which nodes there are. */
  public List<Member> members() throws EtcdException, InterruptedException {
    TxnResult read =
        etcd.txn(new Txn().getAll(keys.members()).getAll(keys.alive()).getAll(keys.draining()));
    List<Member> members = members(read.reads().get(0), read.reads().get(1), read.reads().get(2));
    // Before the nodes: who sees a node that is alive has its report.
    reports = reports(read.reads().get(1));
    known(members);
    return members;
  }

  /** The nodes of two reads, without what operators want of them. */
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
      // What cannot be read is a node that cannot be asked, and never counts as fenced.
      found.add(member == null ? new Member(name, "", "", CutOff.SERVE, "", isAlive) : member);
    }
    return List.copyOf(found);
  }

  private static Set<String> names(List<KeyValue> found, String prefix) {
    Set<String> names = new HashSet<>();
    found.forEach(kv -> names.add(kv.key().substring(prefix.length())));
    return names;
  }

  /**
   * Says of a node that it should get no traffic, or that it may get some again; false where the
   * cluster has no such node.
   */
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

  /** What {@link #forget} came to. */
  public enum Forgotten {
    DONE,
    UNKNOWN,
    ALIVE
  }

  /** Removes a node that is not alive: purges no longer wait for it. */
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
                .delete(keys.draining(name)));
    return done.isDone() ? Forgotten.DONE : Forgotten.ALIVE;
  }

  /** {@code alive/NODE} is not ours: it is written anew at the next {@link #keepAlive}. */
  public void lost() {
    lease = 0;
  }

  /**
   * The node leaves in order: it uses nothing that is stored until it has registered again and
   * caught up.
   */
  public void leave() throws EtcdException, InterruptedException {
    if (lease == 0) {
      return;
    }
    if (self.cutOff() == CutOff.SERVE) {
      // Stopped, it serves nothing, so purges need not wait for it.
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
