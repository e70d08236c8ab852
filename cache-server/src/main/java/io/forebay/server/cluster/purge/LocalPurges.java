package io.forebay.server.cluster.purge;

import io.forebay.server.purge.PurgeOrder;
import java.io.IOException;
import java.util.List;

/** Purges this node alone, while the log cannot be written. */
public interface LocalPurges {

  /**
   * Puts orders in force here.
   *
   * @throws IOException when they are not durable, or the table is full; some of them may be in
   *     force
   */
  void purge(List<PurgeOrder> orders) throws IOException;
}
