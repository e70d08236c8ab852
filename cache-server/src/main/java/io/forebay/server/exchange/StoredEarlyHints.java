package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.policy.StoredHeader;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.hint.EarlyHintPolicy;
import io.forebay.server.hint.EarlyHints;
import io.forebay.server.rule.RuleOutcome;
import io.forebay.storage.object.StoredHead;
import org.jspecify.annotations.Nullable;

/**
 * The early hints of a stored response that may not be served before the origin was asked: sent
 * once, if the client then waits for the origin.
 */
final class StoredEarlyHints {
  private static final int STATUS = 103;

  private @Nullable HeaderFields fields;

  private StoredEarlyHints(HeaderFields fields) {
    this.fields = fields;
  }

  /**
   * Those of a pinned head, or null where the client gets none.
   *
   * @param meta of the head
   */
  static @Nullable StoredEarlyHints of(
      ExchangeContext loop, ClientRequest request, StoredHead head, StoredMeta meta) {
    EarlyHintPolicy policy = request.config().earlyHints(request.route());
    // Browsers drop hints that a redirect or an error follows.
    if (policy == EarlyHintPolicy.OFF
        || meta.status() != 200
        || !policy.isFor(request.view(), request.client().protocol())) {
      return null;
    }
    RuleOutcome rules = request.rules();
    if (rules != null && rules.removes("link")) {
      return null;
    }
    HeaderFields stored =
        StoredHeader.decode(
            loop.store().bytes(head),
            head.headOffset() + meta.length(),
            head.headLength() - meta.length());
    HeaderFields hints = EarlyHints.of(stored);
    return hints.size() == 0 ? null : new StoredEarlyHints(hints);
  }

  /** Sends them, unless they were sent or the response has begun. */
  void send(ExchangeContext loop, ClientRequest request, ClientResponse response) {
    HeaderFields due = fields;
    fields = null;
    if (due != null && response.awaitsHead() && response.sink().acceptsInterim()) {
      loop.counters().earlyHints++;
      EndToEndFields.interim(request, response, STATUS, due);
    }
  }
}
