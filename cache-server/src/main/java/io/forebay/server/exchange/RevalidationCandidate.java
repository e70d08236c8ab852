package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.policy.Revalidation;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.fill.FillRequest;
import io.forebay.storage.object.StoredHead;
import java.util.Arrays;

/**
 * A stored object that a fill may confirm instead of fetching it whole.
 *
 * @param conditions its validators as request fields
 */
record RevalidationCandidate(FillRequest.StoredRef ref, HeaderFields conditions) {

  /** Of a pinned head that was found under the exchange's key. */
  static RevalidationCandidate of(Exchange exchange, StoredHead head, StoredMeta meta) {
    var keys = exchange.loop.keys();
    return new RevalidationCandidate(
        new FillRequest.StoredRef(
            exchange.keyHi(),
            exchange.keyLo(),
            Arrays.copyOf(keys.text(), keys.textLength()),
            head.objectId()),
        Revalidation.conditionalFields(meta));
  }
}
