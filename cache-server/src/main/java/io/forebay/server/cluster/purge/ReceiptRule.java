package io.forebay.server.cluster.purge;

import io.forebay.server.cluster.member.Member;
import io.forebay.server.config.ClusterConfig.Wait;
import org.jspecify.annotations.Nullable;

/** What a purge needs of a node. Pure functions. */
final class ReceiptRule {

  /** What is known of a node. */
  enum State {
    CONFIRMED,
    FENCED,
    PENDING
  }

  private ReceiptRule() {}

  /** Whether a purge that is ordered at a node waits for another. */
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
   * @param hasApplied whether it has said that it has the purge in force
   * @param now the node in etcd, read after the purge was written; null when it was forgotten
   */
  static State state(boolean hasApplied, @Nullable Member now) {
    if (hasApplied) {
      return State.CONFIRMED;
    }
    return now == null || now.isFenced() ? State.FENCED : State.PENDING;
  }
}
