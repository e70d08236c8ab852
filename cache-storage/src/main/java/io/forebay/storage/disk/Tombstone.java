package io.forebay.storage.disk;

/** Copies of this key that were born up to this birth are dead. */
record Tombstone(long high, long low, long birth) {}
