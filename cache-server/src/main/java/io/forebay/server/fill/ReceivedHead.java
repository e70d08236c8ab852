package io.forebay.server.fill;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.policy.StoreVerdict;
import io.forebay.storage.object.HeadSpec;
import org.jspecify.annotations.Nullable;

/**
 * The received head of a response that may be stored.
 *
 * @param totalLength of the whole body, or -1 while it is not known
 * @param copied the object whose body it has, or null
 */
record ReceivedHead(
    int status,
    HeaderFields fields,
    long totalLength,
    StoreVerdict.Store verdict,
    long nowMillis,
    HeadSpec.@Nullable Copied copied) {

  /** Of a response whose body the origin sends. */
  ReceivedHead(
      int status,
      HeaderFields fields,
      long totalLength,
      StoreVerdict.Store verdict,
      long nowMillis) {
    this(status, fields, totalLength, verdict, nowMillis, null);
  }
}
