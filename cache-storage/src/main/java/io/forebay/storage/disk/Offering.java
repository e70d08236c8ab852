package io.forebay.storage.disk;

/** What becomes of a record that a disk is offered, where the disk does not take it now. */
public enum Offering {
  /** Memory keeps it, and offers it again when it leaves. */
  AHEAD,
  /** The same; but the node stops, and may not find it in memory again. */
  AT_STOP,
  /** It leaves memory, and waits there until the disk has room. */
  WAITING,
  /** It leaves memory, and is lost. */
  LAST;

  /** What the disk says. */
  public enum Answer {
    TAKEN,
    /** No buffer or region is free. */
    NO_ROOM,
    /** The disk is not for it, whatever room there is. */
    REFUSED
  }
}
