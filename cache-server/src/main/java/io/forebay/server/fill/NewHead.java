package io.forebay.server.fill;

import io.forebay.core.key.ResponseTags;
import io.forebay.core.policy.BodyRest;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.StoredHeader;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.exchange.LoopContext;
import io.forebay.storage.HeadSpec;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The head of a response as it is to be stored: what of it, and under which key. */
sealed interface NewHead {

  /** It can't be stored after all. */
  record Refused(Reason reason) implements NewHead {}

  /**
   * What goes into the store.
   *
   * @param head as followers see it
   * @param base the key without what the response varies by, and its text
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Made(FillHead head, HeadSpec spec, FillKey base, byte[] baseText) implements NewHead {

    boolean isVarying() {
      return !head.selectingFields().isEmpty();
    }

    /** How what is missing of its body could be fetched; null if that can't be. */
    @Nullable BodyRest rest(LoopContext loop) {
      StoredMeta stored = loop.meta();
      return stored.wrap(MemorySegment.ofArray(head.meta()), 0)
          ? BodyRest.of(stored, head.totalLength())
          : null;
    }

    /**
     * Writes what tells the variants of its key apart: before the head is published, so that
     * whoever leaves because his variant differs finds it.
     */
    void writeMarker(LoopContext loop) {
      if (isVarying()) {
        VaryMarker.write(loop, spec, base, baseText, head.selectingFields());
      }
    }
  }

  /** Makes it; what stands at the base key is in memory, or is not to be waited for. */
  static NewHead of(LoopContext loop, FillOrder order, ReceivedHead received, long birth) {
    byte[] block =
        StoredHeader.encode(
            received.status(),
            received.fields(),
            received.verdict().omittedFields(),
            received.nowMillis());
    if (block == null) {
      return new Refused(Reason.NOT_STORED_FIELDS);
    }
    var keys = loop.keys();
    if (!keys.build(order.request(), order.route().keyRecipe())) {
      return new Refused(Reason.PASS_KEY_TOO_LONG);
    }
    FillKey base = new FillKey(keys.hi(), keys.lo());
    byte[] baseText = Arrays.copyOf(keys.text(), keys.textLength());
    List<String> selecting = received.verdict().selectingFields();
    boolean isVarying = !selecting.isEmpty();
    if (isVarying) {
      selecting = VaryMarker.union(loop, selecting);
      if (!keys.variant(order.request(), selecting)) {
        return new Refused(Reason.PASS_KEY_TOO_LONG);
      }
    }
    FillKey key = new FillKey(keys.hi(), keys.lo());
    byte[] meta = received.verdict().meta();
    HeadSpec spec =
        new HeadSpec(
            key.hi(),
            key.lo(),
            isVarying ? Arrays.copyOf(keys.text(), keys.textLength()) : baseText,
            keys.textLength(),
            HeadBytes.join(meta, block),
            loop.scopes()
                .ofResponse(
                    order.request(), order.route().keyRecipe(), ResponseTags.of(received.fields())),
            birth,
            received.nowMillis() + received.verdict().freshnessLifetimeMillis(),
            HeadSpec.Kind.OBJECT,
            received.totalLength());
    FillHead head =
        new FillHead(received.status(), meta, block, received.totalLength(), spec, selecting, key);
    return new Made(head, spec, base, baseText);
  }
}
