package io.forebay.storage.inspect;

/**
 * What is in memory under a name, as often as it is asked for.
 *
 * @param name as the caller of {@link StoreInspector#hottest} names it
 * @param touches requests since the object was written or last survived, up to three
 * @param isProtected whether it was asked for again before, and kept for that
 * @param bytes of its body
 */
public record HotObject(String name, int touches, boolean isProtected, long bytes) {}
