package io.forebay.server.cluster;

import io.forebay.server.cluster.etcd.EtcdException;
import io.forebay.server.cluster.member.Member;
import io.forebay.server.cluster.member.Membership.Forgotten;
import io.forebay.server.purge.PurgeRefusedException;
import io.forebay.server.purge.PurgeRefusedException.Refusal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The nodes of the cluster, as this one sees them. Any thread that may block. */
public final class ClusterNodes {
  private final ClusterParts parts;

  ClusterNodes(ClusterParts parts) {
    this.parts = parts;
  }

  /** Asks every node of the cluster for its state. */
  public List<NodeState> all() throws PurgeRefusedException {
    try {
      List<Member> members = parts.membership.members();
      Map<String, NodeState> states = new ConcurrentHashMap<>();
      List<Thread> askers = new ArrayList<>();
      for (Member member : members) {
        askers.add(Thread.ofVirtual().start(() -> states.put(member.name(), ask(member))));
      }
      for (Thread asker : askers) {
        asker.join();
      }
      return members.stream()
          .map(member ->
              states.getOrDefault(member.name(), new NodeState(member, null, "could not be asked")))
          .toList();
    } catch (EtcdException e) {
      throw new PurgeRefusedException(String.valueOf(e.getMessage()), Refusal.FOR_NOW);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PurgeRefusedException("interrupted", Refusal.FOR_NOW);
    }
  }

  private NodeState ask(Member member) {
    if (member.name().equals(parts.membership.self().name())) {
      return new NodeState(member, parts.load.json(), null);
    }
    try {
      return new NodeState(member, parts.peers.get(member, LoadEndpoint.PATH, 0), null);
    } catch (IOException e) {
      return new NodeState(member, null, e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new NodeState(member, null, "interrupted");
    }
  }

  /** Sets the source of this node's load. */
  public void counts(Supplier<@Nullable NodeLoad> from) {
    parts.counts(from);
  }

  /**
   * Drains a node, or ends its drain; false where the cluster has no such node. The node reads the
   * order within about a second, or when it starts.
   */
  public boolean drain(String node, boolean isDraining) throws PurgeRefusedException {
    try {
      return parts.membership.drain(node, isDraining);
    } catch (EtcdException e) {
      throw new PurgeRefusedException(String.valueOf(e.getMessage()), Refusal.FOR_NOW);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PurgeRefusedException("interrupted", Refusal.FOR_NOW);
    }
  }

  /** Removes a node that is not alive. */
  public Forgotten forget(String node) throws PurgeRefusedException {
    try {
      return parts.membership.forget(node);
    } catch (EtcdException e) {
      throw new PurgeRefusedException(String.valueOf(e.getMessage()), Refusal.FOR_NOW);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PurgeRefusedException("interrupted", Refusal.FOR_NOW);
    }
  }
}
