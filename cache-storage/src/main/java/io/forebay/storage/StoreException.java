package io.forebay.storage;

/** The store cannot be opened. The message is one line that tells the operator what to do. */
public final class StoreException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Why it can't. */
  public enum Kind {
    /** Another process, or another store of this one, has the directory. */
    OWNED,
    /** A directory or file can't be made or written. */
    NOT_WRITABLE,
    /** The place has not the room, or the process not the memory. */
    NO_ROOM,
    /** A file is not ours, or of a version that this program does not know. */
    FOREIGN_FORMAT,
    /** Another user of the machine may have put a file or a link there. */
    UNSAFE_FILE,
    /** The settings contradict each other. */
    BAD_SETTINGS
  }

  private final Kind kind;

  public StoreException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  public StoreException(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }
}
