package io.forebay.server.cluster.member;

import io.forebay.server.cluster.etcd.EtcdClient;
import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.cluster.etcd.KeyValue;
import io.forebay.server.cluster.etcd.Txn;
import io.forebay.server.cluster.etcd.TxnResult;
import io.forebay.server.config.ClusterConfig.CutOff;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The nodes of the cluster in etcd, this one among them. Any thread that may block. */
public final class Membership {
  private final EtcdClient etcd;
  private final ClusterKeyspace keys;
  private final Member self;
  private final NodeIdentity identity;
  private final long leaseSeconds;

  /** 0 for none. Confined to the thread that beats. */
  private long lease;

  private volatile List<Member> known = List.of();

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

  /**
   * Makes this node a member that is alive, or prolongs that.
   *
   * @throws NameTakenException when another node has its name
   */
  public void keepAlive() throws EtcdException, InterruptedException, NameTakenException {
    if (lease == 0 || !etcd.keepAlive(lease)) {
      lease = 0;
      register();
    }
  }

  private void register() throws EtcdException, InterruptedException, NameTakenException {
    TxnResult held = etcd.txn(new Txn().get(keys.alive(self.name())));
    KeyValue holder = held.read(0).findFirst().orElse(null);
    NodeIdentity other = holder == null ? null : MemberJson.identity(holder.value());
    if (other != null && !other.isSameNode(identity)) {
      throw new NameTakenException(self.name());
    }
    long granted = etcd.grant(leaseSeconds);
    TxnResult done =
        etcd.txn(
            new Txn()
                .ifRevision(keys.alive(self.name()), holder == null ? 0 : holder.revision())
                .put(keys.alive(self.name()), MemberJson.alive(identity), granted)
                .put(keys.member(self.name()), MemberJson.member(self))
                .otherwiseGet(keys.alive(self.name())));
    // A repeated transaction finds what its first sending has written.
    boolean isOwn =
        done.isDone()
            || done.read(0).anyMatch(kv -> identity.equals(MemberJson.identity(kv.value())));
    if (!isOwn) {
      throw new NameTakenException(self.name());
    }
    lease = granted;
  }

  /** Reads linearizably how far the log is. */
  public LogHead head() throws EtcdException, InterruptedException {
    TxnResult read =
        etcd.txn(
            new Txn()
                .get(keys.epoch())
                .get(keys.last())
                .get(keys.floor())
                .get(keys.alive(self.name()))
                .getAll(keys.members())
                .getAll(keys.alive()));
    known = members(read.reads().get(4), read.reads().get(5));
    return new LogHead(
        read.read(0).map(KeyValue::value).findFirst().orElse(null),
        read.revision(),
        read.read(1).mapToLong(KeyValue::revision).findFirst().orElse(0),
        read.read(2).mapToLong(Membership::number).findFirst().orElse(0),
        read.read(3).anyMatch(kv -> identity.equals(MemberJson.identity(kv.value()))));
  }

  private static long number(KeyValue kv) {
    return kv.value().matches("[0-9]{1,18}") ? Long.parseLong(kv.value()) : Long.MAX_VALUE;
  }

  /** Reads linearizably which nodes there are. */
  public List<Member> members() throws EtcdException, InterruptedException {
    TxnResult read = etcd.txn(new Txn().getAll(keys.members()).getAll(keys.alive()));
    List<Member> members = members(read.reads().get(0), read.reads().get(1));
    known = members;
    return members;
  }

  /** The nodes of two reads. */
  public List<Member> members(List<KeyValue> members, List<KeyValue> alive) {
    Set<String> living = new HashSet<>();
    alive.forEach(kv -> living.add(kv.key().substring(keys.alive().length())));
    List<Member> found = new ArrayList<>();
    for (KeyValue kv : members) {
      String name = kv.key().substring(keys.members().length());
      Member member = MemberJson.read(name, kv.value(), living.contains(name));
      // What cannot be read is a node that cannot be asked, and never counts as fenced.
      found.add(
          member == null
              ? new Member(name, "", "", CutOff.SERVE, "", living.contains(name))
              : member);
    }
    return List.copyOf(found);
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
    TxnResult done = etcd.txn(new Txn().ifAbsent(keys.alive(name)).delete(keys.member(name)));
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
              self.name(), self.group(), self.address(), CutOff.FENCE, self.version(), false);
      TxnResult ignored =
          etcd.txn(new Txn().put(keys.member(self.name()), MemberJson.member(stopped)));
    }
    etcd.revoke(lease);
    lease = 0;
  }
}
