package io.forebay.storage;

/** Two threads that meet once, over something that was made for them, and what is left of it. */
public interface Race {
  int first();

  int second();

  /** After both. Gives back what the race has taken. */
  int after();
}
