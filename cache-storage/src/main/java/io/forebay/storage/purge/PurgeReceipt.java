package io.forebay.storage.purge;

import java.util.OptionalLong;

/**
 * The receipt of a purge that is durable and in force.
 *
 * @param id for people: the same number as the sequence
 * @param matched how many stored heads it applied to, where that is known
 */
public record PurgeReceipt(long id, long sequence, OptionalLong matched, long tookNanos) {}
