package io.forebay.server.purge;

import java.util.OptionalLong;

/**
 * A purge that is durable and in force.
 *
 * @param matched objects it killed at once, where that is known without a sweep
 */
public record PurgeDone(long id, long sequence, OptionalLong matched, long tookNanos) {}
