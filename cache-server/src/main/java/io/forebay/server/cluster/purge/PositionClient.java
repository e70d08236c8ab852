package io.forebay.server.cluster.purge;

import io.forebay.server.cluster.member.Member;
import io.forebay.storage.purge.PurgePosition;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Asks other nodes how far they have come. */
public interface PositionClient {

  /**
   * The position of a node, as soon as it has applied a revision, or after some time.
   *
   * @return null where it has none yet
   * @throws IOException when it does not answer, or is not the node that it is taken for
   */
  @Nullable PurgePosition ask(Member member, long atLeast, String epoch, long waitMillis)
      throws IOException, InterruptedException;
}
