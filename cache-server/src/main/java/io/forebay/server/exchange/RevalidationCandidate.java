package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.policy.Revalidation;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.fill.FillRequest;
import io.forebay.storage.object.StoredHead;
import java.util.Arrays;

/**
 * A stored object that a fill may revalidate instead of fetching it completely.
 *
 * @param conditions its validators as request fields
 */
record RevalidationCandidate(FillRequest.StoredRef ref, HeaderFields conditions) {

  /** Of a pinned head that was found under the request's key, whose text {@code keys} holds. */
  static RevalidationCandidate of(
      ClientRequest request, KeyBuilder keys, StoredHead head, StoredMeta meta) {
    return new RevalidationCandidate(
        ref(request, keys, head), Revalidation.conditionalFields(meta));
  }

  static FillRequest.StoredRef ref(ClientRequest request, KeyBuilder keys, StoredHead head) {
    return new FillRequest.StoredRef(
        request.keyHi(),
        request.keyLo(),
        Arrays.copyOf(keys.text(), keys.textLength()),
        head.objectId());
  }
}
