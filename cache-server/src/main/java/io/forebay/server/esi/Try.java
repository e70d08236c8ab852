package io.forebay.server.esi;

import io.forebay.server.counters.EsiCounters.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * {@code <esi:try>}: what is within {@code attempt} if all of its includes succeed, else what is
 * within {@code except}. Nothing is written before that is decided. Includes of {@code except} are
 * requested when it is chosen.
 */
final class Try implements PagePart {

  private final PageAssembly page;
  private final HeldBytes held;
  private final PartList attempt = new PartList();
  private final PartList except = new PartList();

  private @Nullable PartList chosen;
  private boolean hasAttempt;
  private boolean isAttemptClosed;
  private boolean isClosed;
  private boolean isActive;
  private String why = "";

  /** One that has been counted there. */
  Try(PageAssembly page, HeldBytes held) {
    this.page = page;
    this.held = held;
  }

  // --- the parser -------------------------------------------------------------------------------

  PartList attempt() {
    return attempt;
  }

  PartList except() {
    return except;
  }

  /** Whether the first attempt begins now: there may be one. */
  boolean beginsAttempt() {
    boolean isFirst = !hasAttempt;
    hasAttempt = true;
    return isFirst;
  }

  void attemptClosed() {
    isAttemptClosed = true;
  }

  void closed() {
    isAttemptClosed = true;
    isClosed = true;
  }

  /** What is held of the attempt passes a bound: it fails at once, to be held no longer. */
  void tooLarge() {
    if (chosen == null) {
      chooseExcept();
    }
  }

  /** Whether what is added to that list is written as it comes. */
  boolean isChosen(PartList list) {
    return chosen == list;
  }

  // --- the page ---------------------------------------------------------------------------------

  private void decide() {
    if (chosen != null) {
      return;
    }
    State state = attempt.state();
    if (state == State.FAILED) {
      chooseExcept();
    } else if (state == State.COMPLETE && isAttemptClosed) {
      except.discard();
      chosen = attempt;
    }
  }

  private void chooseExcept() {
    page.counters().count(Outcome.EXCEPTED);
    attempt.discard();
    chosen = except;
    if (isActive) {
      except.activate();
    }
  }

  @Override
  public State state() {
    decide();
    PartList list = chosen;
    if (list == null) {
      return State.RUNNING;
    }
    State state = list.state();
    if (state == State.FAILED) {
      why = list.why();
      return state;
    }
    return isClosed || list == attempt ? state : State.RUNNING;
  }

  @Override
  public Drained drain(PageOutput out) {
    decide();
    PartList list = chosen;
    if (list == null) {
      page.keepsGoing(this);
      return Drained.WAITS;
    }
    Drained drained = list.drain(out);
    if (drained == Drained.FAILED) {
      why = list.why();
    }
    boolean isMore = list == except && !isClosed;
    return drained == Drained.ALL && isMore ? Drained.WAITS : drained;
  }

  @Override
  public void activate() {
    isActive = true;
    (chosen == null ? attempt : chosen).activate();
  }

  @Override
  public void release() {
    attempt.discard();
    except.discard();
    held.remove(0);
  }

  @Override
  public long heldBytes() {
    return attempt.heldBytes() + except.heldBytes();
  }

  @Override
  public boolean isRunning() {
    return (chosen == null ? attempt : chosen).isRunning();
  }

  @Override
  public @Nullable Include firstWaiting() {
    return (chosen == null ? attempt : chosen).firstWaiting();
  }

  @Override
  public String why() {
    return why;
  }
}
