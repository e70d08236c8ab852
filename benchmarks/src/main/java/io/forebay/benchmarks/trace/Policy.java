package io.forebay.benchmarks.trace;

/** A cache that keeps numbers instead of bytes. */
interface Policy {
  /** Whether a request is a hit; what missed is there afterwards, if it fits and is let in. */
  boolean access(int id, long size);

  /** Of the last access, which was no hit: how much the origin had to send. */
  default long fetchedBytes(long size) {
    return size;
  }
}
