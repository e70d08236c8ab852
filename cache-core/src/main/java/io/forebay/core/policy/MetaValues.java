package io.forebay.core.policy;

import io.forebay.core.http.HttpDate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The values of a {@link StoredMeta} record before encoding; described there. */
record MetaValues(
    int status,
    int flags,
    long requestTimeMillis,
    long responseTimeMillis,
    long dateMillis,
    long lastModifiedMillis,
    long freshnessLifetimeMillis,
    long staleWhileRevalidateMillis,
    long staleIfErrorMillis,
    long ageValueSeconds,
    @Nullable String etag,
    @Nullable String lastModified,
    List<String> selectingFields,
    String consumedFields) {

  /** Without fields that were meant for this cache alone. */
  MetaValues(
      int status,
      int flags,
      long requestTimeMillis,
      long responseTimeMillis,
      long dateMillis,
      long lastModifiedMillis,
      long freshnessLifetimeMillis,
      long staleWhileRevalidateMillis,
      long staleIfErrorMillis,
      long ageValueSeconds,
      @Nullable String etag,
      @Nullable String lastModified,
      List<String> selectingFields) {
    this(
        status,
        flags,
        requestTimeMillis,
        responseTimeMillis,
        dateMillis,
        lastModifiedMillis,
        freshnessLifetimeMillis,
        staleWhileRevalidateMillis,
        staleIfErrorMillis,
        ageValueSeconds,
        etag,
        lastModified,
        selectingFields,
        "");
  }

  static MetaValues varyMarker(List<String> selectingFields, long responseTimeMillis) {
    return new MetaValues(
        0,
        StoredMeta.VARY_MARKER,
        responseTimeMillis,
        responseTimeMillis,
        responseTimeMillis,
        HttpDate.INVALID,
        0,
        -1,
        -1,
        0,
        null,
        null,
        selectingFields);
  }
}
