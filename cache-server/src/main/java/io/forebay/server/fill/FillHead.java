package io.forebay.server.fill;

import java.util.List;

/**
 * The head of a response being filled, as every follower sees it. Immutable once published.
 *
 * @param meta encoded {@link io.forebay.core.policy.StoredMeta}; empty when it is not stored
 * @param block stored field lines, {@code name: value\r\n} each; empty when it is not stored
 * @param totalLength body bytes, or -1 while unknown
 * @param scopes what a purge can name it by
 * @param selectingFields names of the fields it varies by; empty when it does not vary
 * @param variantKey the key it is stored under
 */
@SuppressWarnings("ArrayRecordComponent")
public record FillHead(
    int status,
    byte[] meta,
    byte[] block,
    long totalLength,
    long[] scopes,
    List<String> selectingFields,
    FillKey variantKey) {

  static FillHead unstorable(int status, FillKey key) {
    return new FillHead(status, new byte[0], new byte[0], -1, new long[0], List.of(), key);
  }
}
