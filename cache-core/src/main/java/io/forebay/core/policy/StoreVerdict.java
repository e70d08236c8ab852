package io.forebay.core.policy;

import java.util.List;

/** The result of {@link ResponsePolicy}: whether a response may be stored. */
public sealed interface StoreVerdict {

  /** It may, with this metadata. */
  final class Store implements StoreVerdict {
    private final byte[] meta;
    private final List<String> selectingFields;
    private final List<String> omittedFields;
    private final long freshnessLifetimeMillis;

    Store(
        byte[] meta,
        List<String> selectingFields,
        List<String> omittedFields,
        long freshnessLifetimeMillis) {
      this.meta = meta;
      this.selectingFields = selectingFields;
      this.omittedFields = omittedFields;
      this.freshnessLifetimeMillis = freshnessLifetimeMillis;
    }

    /** The encoded {@link StoredMeta}. */
    public byte[] meta() {
      return meta.clone();
    }

    /**
     * The fields that the response varies by: lower case, sorted, each once. Empty when it does not
     * vary; otherwise it belongs under a variant key, behind a vary marker.
     */
    public List<String> selectingFields() {
      return selectingFields;
    }

    /** Lower-case names of fields that must not be stored with it. */
    public List<String> omittedFields() {
      return omittedFields;
    }

    public long freshnessLifetimeMillis() {
      return freshnessLifetimeMillis;
    }
  }

  /** It may not. */
  record DoNotStore(Reason reason) implements StoreVerdict {}
}
