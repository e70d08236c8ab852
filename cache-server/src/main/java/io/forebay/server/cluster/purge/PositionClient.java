package io.forebay.server.cluster.purge;

import io.forebay.server.cluster.member.Member;
import io.forebay.storage.purge.PurgePosition;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Asks other nodes for their positions in the log. */
public interface PositionClient {

  /**
   * The position of a node. It answers once it has applied a revision, or after a limited time.
   *
   * @return null where it has no position yet
   * @throws IOException when it does not answer, or its certificate is another node's
   */
  @Nullable PurgePosition ask(Member member, long atLeast, String epoch, long waitMillis)
      throws IOException, InterruptedException;
}
