package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.policy.Revalidation;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.fill.FillOrder;
import io.forebay.storage.StoredHead;
import java.util.Arrays;

/**
 * A stored object that a fill may confirm instead of fetching it whole.
 *
 * @param conditions its validators as request fields
 */
record StaleObject(FillOrder.StoredRef ref, HeaderFields conditions) {

  /** Of a pinned head that was found under the exchange's key. */
  static StaleObject of(Exchange exchange, StoredHead head, StoredMeta meta) {
    var keys = exchange.loop.keys();
    return new StaleObject(
        new FillOrder.StoredRef(
            exchange.keyHi(),
            exchange.keyLo(),
            Arrays.copyOf(keys.text(), keys.textLength()),
            head.objectId()),
        Revalidation.conditionalFields(meta));
  }
}
