package io.forebay.server.esi;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The {@code try} and {@code choose} within which the parser of a document is, and where what comes
 * next goes.
 *
 * <pre>
 *   outside             the parts of the document
 *   in attempt, except  those of the try
 *   in when, otherwise  where the choose stands, if this is its first branch that holds; else nowhere
 *   between these       nowhere
 * </pre>
 *
 * <p>A {@code choose} is decided at the tags of its branches, since the request is known: so it
 * holds nothing, and its branch is written as it comes.
 */
final class OpenElements {

  static final int MAX_NESTED = 8;

  /** One of them. */
  private sealed interface Element {

    /** Where what comes next goes; null where it is dropped. */
    @Nullable PartList list();
  }

  private static final class OpenTry implements Element {
    /** Where in it the parser is. */
    private enum Place {
      BETWEEN,
      ATTEMPT,
      EXCEPT
    }

    /** Null where the whole element is dropped. */
    private final @Nullable Try node;

    private Place place = Place.BETWEEN;

    OpenTry(@Nullable Try node) {
      this.node = node;
    }

    @Override
    public @Nullable PartList list() {
      if (node == null) {
        return null;
      }
      return switch (place) {
        case BETWEEN -> null;
        case ATTEMPT -> node.attempt();
        case EXCEPT -> node.except();
      };
    }

    /** Whether that list is written as it comes. */
    boolean isStreaming() {
      PartList list = list();
      return node != null && list != null && node.isChosen(list);
    }

    void closed() {
      if (node != null) {
        node.closed();
      }
    }
  }

  private static final class OpenChoose implements Element {
    /** Where the element stands; null where it is dropped. */
    private final @Nullable PartList outer;

    private boolean isDecided;
    private boolean isInBranch;
    private boolean isInChosen;

    OpenChoose(@Nullable PartList outer) {
      this.outer = outer;
    }

    @Override
    public @Nullable PartList list() {
      return isInChosen ? outer : null;
    }

    void branch(boolean isEmpty, BooleanSupplier test) {
      if (isInBranch) {
        return;
      }
      boolean isChosen = outer != null && !isDecided && test.getAsBoolean();
      isDecided |= isChosen;
      isInBranch = !isEmpty;
      isInChosen = isChosen && !isEmpty;
    }

    void branchClosed() {
      isInBranch = false;
      isInChosen = false;
    }
  }

  private final PartList document;
  private final Deque<Element> elements = new ArrayDeque<>();

  /** None is open. */
  OpenElements(PartList document) {
    this.document = document;
  }

  /** Where what comes next goes; null where it is dropped. */
  @Nullable PartList list() {
    Element innermost = elements.peekFirst();
    return innermost == null ? document : innermost.list();
  }

  /** Whether what comes next is written as it comes. */
  boolean isStreaming() {
    for (Element element : elements) {
      if (element instanceof OpenTry attempted && !attempted.isStreaming()) {
        return false;
      }
    }
    return list() != null;
  }

  /** The innermost {@code try}, where the parser is in its {@code attempt}; or null. */
  @Nullable Try attempted() {
    for (Element element : elements) {
      if (element instanceof OpenTry open) {
        return open.place == OpenTry.Place.ATTEMPT ? open.node : null;
      }
    }
    return null;
  }

  boolean isFull() {
    return elements.size() >= MAX_NESTED;
  }

  /** A {@code try} begins; null where it is dropped. */
  void beginTry(@Nullable Try node) {
    elements.addFirst(new OpenTry(node));
  }

  void beginChoose() {
    elements.addFirst(new OpenChoose(list()));
  }

  void beginAttempt() {
    if (elements.peekFirst() instanceof OpenTry open
        && open.place == OpenTry.Place.BETWEEN
        && (open.node == null || open.node.beginsAttempt())) {
      open.place = OpenTry.Place.ATTEMPT;
    }
  }

  void beginExcept() {
    if (elements.peekFirst() instanceof OpenTry open && open.place == OpenTry.Place.BETWEEN) {
      open.place = OpenTry.Place.EXCEPT;
    }
  }

  /**
   * A branch of a {@code choose}.
   *
   * @param test whether it holds; asked where no branch before it did
   */
  void beginBranch(boolean isEmpty, BooleanSupplier test) {
    if (elements.peekFirst() instanceof OpenChoose open) {
      open.branch(isEmpty, test);
    }
  }

  /** The end of an element of that name; nothing where another one is open. */
  void close(String name) {
    switch (elements.peekFirst()) {
      case OpenTry open -> closeIn(open, name);
      case OpenChoose open -> {
        if (name.equals("choose")) {
          elements.removeFirst();
        } else if (name.equals("when") || name.equals("otherwise")) {
          open.branchClosed();
        }
      }
      case null -> {
        // The end of a tag that holds nothing.
      }
    }
  }

  private void closeIn(OpenTry open, String name) {
    boolean isAttempt = name.equals("attempt") && open.place == OpenTry.Place.ATTEMPT;
    if (name.equals("try")) {
      open.closed();
      elements.removeFirst();
    } else if (isAttempt || (name.equals("except") && open.place == OpenTry.Place.EXCEPT)) {
      open.place = OpenTry.Place.BETWEEN;
      if (isAttempt && open.node != null) {
        open.node.attemptClosed();
      }
    }
  }

  /** What is not closed ends with its document. */
  void end() {
    Element open = elements.pollFirst();
    while (open != null) {
      if (open instanceof OpenTry attempted) {
        attempted.closed();
      }
      open = elements.pollFirst();
    }
  }
}
