package io.forebay.server.esi;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Parts in order. A list that is not active yet requests nothing; one that is discarded drops what
 * is added.
 */
final class NodeList {

  private final Deque<Node> nodes = new ArrayDeque<>();
  private boolean isActive;
  private boolean isDiscarded;
  private String why = "";

  void add(Node node) {
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
      nodes.forEach(Node::activate);
    }
  }

  void discard() {
    isDiscarded = true;
    Node node = nodes.pollFirst();
    while (node != null) {
      node.release();
      node = nodes.pollFirst();
    }
  }

  Node.State state() {
    Node.State state = Node.State.COMPLETE;
    for (Node node : nodes) {
      switch (node.state()) {
        case FAILED -> {
          why = node.why();
          return Node.State.FAILED;
        }
        case RUNNING -> state = Node.State.RUNNING;
        case COMPLETE -> {}
      }
    }
    return state;
  }

  /** Writes from the first node on; ALL where none is left. */
  Node.Drained drain(PageOutput out) {
    Node first = nodes.peekFirst();
    while (first != null) {
      Node.Drained drained = first.drain(out);
      if (drained == Node.Drained.FAILED) {
        why = first.why();
      }
      if (drained != Node.Drained.ALL) {
        return drained;
      }
      nodes.pollFirst();
      first.release();
      first = nodes.peekFirst();
    }
    return Node.Drained.ALL;
  }

  long heldBytes() {
    long held = 0;
    for (Node node : nodes) {
      held += node.heldBytes();
    }
    return held;
  }

  boolean isRunning() {
    for (Node node : nodes) {
      if (node.isRunning()) {
        return true;
      }
    }
    return false;
  }

  @Nullable Include firstWaiting() {
    for (Node node : nodes) {
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
