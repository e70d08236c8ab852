package io.forebay.storage.disk;

/** What becomes of a record that is offered to a disk, where the disk does not take it. */
public enum OfferFallback {
  /** Memory keeps it, and offers it again when it leaves. */
  KEEP,
  /** The same; but the node stops, and may not find it in memory again. */
  KEEP_AT_STOP,
  /** It leaves memory, and waits there until the disk has room. */
  WAIT,
  /** It leaves memory, and is lost. */
  DROP
}
