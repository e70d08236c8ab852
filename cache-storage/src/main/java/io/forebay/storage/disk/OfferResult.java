package io.forebay.storage.disk;

/** What a disk says to a record that it is offered. */
public enum OfferResult {
  TAKEN,
  /** No buffer or region is free. */
  NO_ROOM,
  /** The disk is not for it, whatever room there is. */
  REFUSED
}
