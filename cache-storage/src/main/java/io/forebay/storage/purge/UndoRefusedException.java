package io.forebay.storage.purge;

/** A purge cannot be undone; nothing has changed. */
public final class UndoRefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  /** The reason. */
  public enum Why {
    UNKNOWN("no such purge is known: it never existed, or later purges replaced it"),
    HARD("it is a hard purge, which is never undone: what it took is fetched again"),
    NO_PURGE("it is an undo: purge again"),
    UNDONE("it is undone already"),
    CLOSED(
        "it can no longer be undone: what it made stale is validated with the origin when it is"
            + " next requested");

    private final String text;

    Why(String text) {
      this.text = text;
    }

    /** For operators. */
    public String text() {
      return text;
    }
  }

  private final Why why;

  public UndoRefusedException(Why why) {
    super(why.text());
    this.why = why;
  }

  public Why why() {
    return why;
  }
}
