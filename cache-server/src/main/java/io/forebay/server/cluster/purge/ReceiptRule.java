package io.forebay.server.cluster.purge;

import io.forebay.server.cluster.member.Member;
import io.forebay.server.config.ClusterConfig.Wait;
import org.jspecify.annotations.Nullable;

/** Decides for which nodes a purge waits, and when one needs no longer wait. Pure functions. */
final class ReceiptRule {

  /** The state of a node for one purge. */
  enum State {
    CONFIRMED,
    FENCED,
    PENDING
  }

  private ReceiptRule() {}

  /** Whether a purge that one node took waits for another node. */
  static boolean isWaitedFor(Wait wait, Member self, Member other) {
    return switch (wait) {
      case SELF -> self.name().equals(other.name());
      case GROUP -> self.group().equals(other.group());
      case ALL -> true;
    };
  }

  /**
   * The state of a node.
   *
   * @param hasApplied whether its answer says that the purge is in force there
   * @param now the node in etcd, read after the purge was written; null when it was forgotten
   */
  static State state(boolean hasApplied, @Nullable Member now) {
    if (hasApplied) {
      return State.CONFIRMED;
    }
    return now == null || now.isFenced() ? State.FENCED : State.PENDING;
  }
}
