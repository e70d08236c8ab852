package io.forebay.server.fill;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.policy.StoreVerdict;

/**
 * The head of a response that may be stored.
 *
 * @param totalLength of the whole body, or -1 while it is not known
 */
record ReceivedHead(
    int status,
    HeaderFields fields,
    long totalLength,
    StoreVerdict.Store verdict,
    long nowMillis) {}
