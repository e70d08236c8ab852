package io.forebay.server.fill;

import io.forebay.core.key.NoVarySearch;
import io.forebay.server.fill.history.FillKey;
import io.forebay.storage.object.HeadSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The head of a response being filled, as every follower sees it. Immutable once published.
 *
 * @param meta encoded {@link io.forebay.core.policy.StoredMeta}; empty when it is not stored
 * @param block stored field lines, {@code name: value\r\n} each; empty when it is not stored
 * @param totalLength body bytes, or -1 while unknown
 * @param spec what is being stored, which is what a purge looks at; null when it is not stored
 * @param selectingFields names of the fields it varies by; empty when it does not vary
 * @param variantKey the key it is stored under
 * @param baseKey the base key of that
 * @param searchRule what it says of queries, or null
 */
@SuppressWarnings("ArrayRecordComponent")
public record FillHead(
    int status,
    byte[] meta,
    byte[] block,
    long totalLength,
    @Nullable HeadSpec spec,
    List<String> selectingFields,
    FillKey variantKey,
    FillKey baseKey,
    @Nullable NoVarySearch searchRule) {

  /** What the origin answered: not always what clients are. */
  public int originStatus() {
    return spec != null && spec.copied() != null ? 304 : status;
  }

  static FillHead unstorable(int status, FillKey key) {
    return new FillHead(status, new byte[0], new byte[0], -1, null, List.of(), key, key, null);
  }
}
