package io.forebay.lab.load.client;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** A place for one of the connections that the plan wants open, to one of the targets. */
final class Slot {
  final int index;
  final Target target;

  /** When the place became empty: from then on a closed loop's next request is due. */
  long emptySince = -1;

  @Nullable Connection connection;

  Slot(int index, Target target) {
    this.index = index;
    this.target = target;
  }

  /**
   * Where connections go.
   *
   * @param authority as in the Host field
   */
  record Target(boolean isTls, String host, String authority, InetSocketAddress address) {}
}
