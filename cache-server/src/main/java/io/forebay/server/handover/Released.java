package io.forebay.server.handover;

/**
 * A node that has stopped in favour of another process.
 *
 * @param left its open sockets, and keys
 * @param cut connections that did not end in time
 * @param stoppedNanos when it stopped to accept, by System.nanoTime
 * @param endingMillis from then until all connections had ended
 * @param closingMillis from then until the store was free
 */
public record Released(
    Inheritance left, int cut, long stoppedNanos, long endingMillis, long closingMillis) {}
