package io.forebay.server.esi;

import io.forebay.server.counters.EsiCounters.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * An include: the fragment that {@code src} names; if that fails before any of it was written, the
 * one that {@code alt} names; if that fails too, nothing where it says {@code onerror="continue"}.
 *
 * <p>Where a failure would have such a consequence, the fragment is held until it is complete or
 * {@link EsiDocument#WINDOW} bytes of it are here. What fails after that breaks the page off: a
 * page with a part of a fragment would look whole.
 */
final class Include implements PagePart {

  private final PageAssembly page;
  private final EsiDocument parent;
  private final HeldBytes held;
  private final String src;
  private final boolean continues;

  /** Whether all of it is held until an attempt is decided. */
  private final boolean isWhole;

  private @Nullable String alt;
  private @Nullable EsiDocument content;
  private boolean isActive;
  private boolean isStarted;
  private boolean isBegun;
  private boolean isLeftOut;
  private boolean isOver;
  private boolean isAlternative;
  private @Nullable String failure;

  /**
   * An include of a document.
   *
   * @param held has counted it
   * @param src the URL, entities and variables replaced
   * @param alt the same of the alternative, or null
   * @param continues whether it is left out if it fails
   */
  Include(
      PageAssembly page,
      EsiDocument parent,
      HeldBytes held,
      String src,
      @Nullable String alt,
      boolean continues,
      boolean isWhole) {
    this.page = page;
    this.parent = parent;
    this.held = held;
    this.src = src;
    this.alt = alt;
    this.continues = continues;
    this.isWhole = isWhole;
  }

  @Override
  public void activate() {
    if (!isActive) {
      isActive = true;
      page.awaitsTurn(this);
    }
  }

  /** Whether it has not been requested yet and still is to be. */
  boolean isWaiting() {
    return isActive && !isStarted && !isOver;
  }

  /** Requests the fragment. Called in turns only. */
  void start() {
    isStarted = true;
    request(src);
  }

  private void request(String url) {
    switch (page.fragments().target(parent, url)) {
      case FragmentRequests.Refused refused -> fail(refused.why());
      case FragmentRequests.Target target -> {
        EsiDocument begun = new EsiDocument(page, target.uri(), parent.level() + 1, isWhole);
        content = begun;
        page.fragments().start(begun, target, page);
      }
    }
  }

  private void fail(String why) {
    EsiDocument failed = content;
    content = null;
    if (failed != null) {
      failed.release();
    }
    String other = alt;
    if (!isBegun && other != null) {
      alt = null;
      isAlternative = true;
      request(other);
    } else if (!isBegun && continues) {
      isLeftOut = true;
      page.counters().count(Outcome.LEFT_OUT);
    } else {
      failure = why;
    }
  }

  @Override
  public State state() {
    EsiDocument at = content;
    while (at != null && at.state() == State.FAILED) {
      fail(at.why());
      at = content;
    }
    if (failure != null) {
      return State.FAILED;
    }
    if (isLeftOut) {
      return State.COMPLETE;
    }
    return at == null ? State.RUNNING : at.state();
  }

  @Override
  public Drained drain(PageOutput out) {
    if (!isStarted) {
      // Everything before it has been written: it must not wait for those behind it.
      start();
    }
    State state = state();
    if (state == State.FAILED) {
      page.counters().count(Outcome.FAILED);
      return Drained.FAILED;
    }
    EsiDocument at = content;
    if (at == null) {
      return isLeftOut ? Drained.ALL : Drained.WAITS;
    }
    if (!isBegun) {
      boolean mayRecover = alt != null || continues;
      if (mayRecover && state != State.COMPLETE && at.heldBytes() < EsiDocument.WINDOW) {
        page.keepsGoing(this);
        return Drained.WAITS;
      }
      isBegun = true;
    }
    Drained drained = at.drain(out);
    if (drained == Drained.ALL) {
      page.counters().count(isAlternative ? Outcome.ALTERNATIVE : Outcome.INCLUDED);
    } else if (drained == Drained.FAILED) {
      failure = at.why();
      page.counters().count(Outcome.FAILED);
    }
    return drained;
  }

  @Override
  public void release() {
    isOver = true;
    held.remove(0);
    EsiDocument at = content;
    content = null;
    if (at != null) {
      at.release();
    }
  }

  @Override
  public long heldBytes() {
    return content == null ? 0 : content.heldBytes();
  }

  @Override
  public boolean isRunning() {
    return content != null && content.isRunning();
  }

  @Override
  public @Nullable Include firstWaiting() {
    if (isWaiting()) {
      return this;
    }
    return content == null ? null : content.firstWaiting();
  }

  @Override
  public String why() {
    return failure == null ? "" : failure;
  }
}
