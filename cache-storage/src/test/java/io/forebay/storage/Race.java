package io.forebay.storage;

/** A race of two threads on shared state created for it, and its result. */
public interface Race {
  int first();

  int second();

  /** After both. Gives back what the race has taken. */
  int after();
}
