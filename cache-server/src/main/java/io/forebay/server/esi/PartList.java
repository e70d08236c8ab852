package io.forebay.server.esi;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Parts in order. A list that is not active yet requests nothing; one that is discarded drops what
 * is added.
 */
final class PartList {

  private final Deque<PagePart> nodes = new ArrayDeque<>();
  private boolean isActive;
  private boolean isDiscarded;
  private String why = "";

  void add(PagePart node) {
    if (isDiscarded) {
      node.release();
      return;
    }
    nodes.addLast(node);
    if (isActive) {
      node.activate();
    }
  }

  boolean isActive() {
    return isActive;
  }

  void activate() {
    if (!isActive && !isDiscarded) {
      isActive = true;
      nodes.forEach(PagePart::activate);
    }
  }

  void discard() {
    isDiscarded = true;
    PagePart node = nodes.pollFirst();
    while (node != null) {
      node.release();
      node = nodes.pollFirst();
    }
  }

  PagePart.State state() {
    PagePart.State state = PagePart.State.COMPLETE;
    for (PagePart node : nodes) {
      switch (node.state()) {
        case FAILED -> {
          why = node.why();
          return PagePart.State.FAILED;
        }
        case RUNNING -> state = PagePart.State.RUNNING;
        case COMPLETE -> {}
      }
    }
    return state;
  }

  /** Writes from the first node on; ALL where none is left. */
  PagePart.Drained drain(PageOutput out) {
    PagePart first = nodes.peekFirst();
    while (first != null) {
      PagePart.Drained drained = first.drain(out);
      if (drained == PagePart.Drained.FAILED) {
        why = first.why();
      }
      if (drained != PagePart.Drained.ALL) {
        return drained;
      }
      nodes.pollFirst();
      first.release();
      first = nodes.peekFirst();
    }
    return PagePart.Drained.ALL;
  }

  long heldBytes() {
    long held = 0;
    for (PagePart node : nodes) {
      held += node.heldBytes();
    }
    return held;
  }

  boolean isRunning() {
    for (PagePart node : nodes) {
      if (node.isRunning()) {
        return true;
      }
    }
    return false;
  }

  @Nullable Include firstWaiting() {
    for (PagePart node : nodes) {
      Include waiting = node.firstWaiting();
      if (waiting != null) {
        return waiting;
      }
    }
    return null;
  }

  /** Why it failed. */
  String why() {
    return why;
  }
}
