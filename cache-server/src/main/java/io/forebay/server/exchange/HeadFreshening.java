package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.KnownField;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.Revalidation;
import io.forebay.core.policy.StoredMeta;
import io.forebay.server.fill.FillContext;
import io.forebay.server.fill.Refresh;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.object.StoredHead;

/**
 * Updates or invalidates the stored response to a GET from the 200 to a forwarded HEAD (RFC 9111
 * §4.3.5).
 *
 * @param requestTimeMillis when the HEAD was sent
 * @param birth its number in the store's sequence, so that what was purged or stored since then is
 *     left alone
 */
record HeadFreshening(long requestTimeMillis, long birth) {

  /** For no request. */
  static final HeadFreshening NONE = new HeadFreshening(0, -1);

  /**
   * Of a HEAD that is about to be sent because nothing usable is stored; else {@link #NONE}. What
   * the response to one user tells nothing about the response to all others.
   */
  static HeadFreshening begin(FillContext loop, ClientRequest request) {
    return request.isHead()
            && request.reason() == Reason.PASS_HEAD
            && !request.view().has(KnownField.AUTHORIZATION)
        ? new HeadFreshening(loop.nowMillis(), loop.store().nextBirth())
        : NONE;
  }

  /** Updates what is stored, or forgets it where it is no longer what the origin has. */
  void apply(
      FillContext loop, Lookup lookup, ClientRequest request, int status, HeaderFields fields) {
    if (birth < 0 || status != 200 || lookup.find(request) != LookupSteps.Found.OBJECT) {
      return;
    }
    StoredHead head = loop.lane().head();
    try {
      if (head.birth() < birth && loop.meta().status() == 200) {
        applyTo(loop, request, head, fields);
      }
    } finally {
      loop.lane().unpin(head);
    }
  }

  private void applyTo(
      FillContext loop, ClientRequest request, StoredHead head, HeaderFields fields) {
    StoredMeta meta = loop.meta();
    switch (Revalidation.compareHead(meta, head.totalLength(), fields)) {
      case UNKNOWN -> {}
      case OTHER -> {
        boolean ignored = loop.lane().drop(request.keyHi(), request.keyLo(), head.objectId());
      }
      case SAME -> {
        InstallOutcome outcome =
            Refresh.applyHead(
                loop,
                request.question(),
                FillStarter.storedBy(loop, request),
                RevalidationCandidate.ref(request, loop.keys(), head),
                head,
                meta,
                fields,
                requestTimeMillis,
                birth);
        if (outcome == InstallOutcome.INSTALLED) {
          loop.counters().revalidated++;
        }
      }
    }
  }
}
