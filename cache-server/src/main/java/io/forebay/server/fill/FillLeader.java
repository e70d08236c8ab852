package io.forebay.server.fill;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.policy.Reason;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginListener;
import org.jspecify.annotations.Nullable;

/** The client whose miss started a fill; on the fill's event loop. */
public interface FillLeader {

  /** An interim response, before anything else. */
  void onInformational(int status, HeaderFields fields);

  /** Another origin than that of the route answers. */
  void onFallback(String origin);

  /** Another node of the cluster answers. */
  void onPeer(String node);

  /**
   * The response may not be stored. The leader may take its body over as it streams.
   *
   * @return who listens from now on, or null when the leader does not want it
   */
  @Nullable OriginListener takeOver(
      int status, HeaderFields fields, long contentLength, Reason why, OriginCall call);

  /**
   * The store has no room for the rest of the body. The leader may take it over as it streams, if
   * it has sent exactly what is stored.
   *
   * @param position where the rest begins
   * @return who listens from now on, or null when the leader cannot or does not want to
   */
  @Nullable OriginListener takeOverRest(long position, OriginCall call);
}
