package io.forebay.storage.index;

/** What a {@link DiskIndex} asks of the device whose records it names. Any thread, no waiting. */
public interface IndexedDisk {
  /** The life that a region is in; 0 while that is not known, and if it never had one. */
  int generation(int region);

  /** Has copies of a key that were born up to then stay dead. */
  void addTombstone(long high, long low, long birth);

  /** A record has lost its name, and its key is not known: an audit of the device finds it. */
  void audit();
}
