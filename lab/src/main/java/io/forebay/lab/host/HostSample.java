package io.forebay.lab.host;

import org.jspecify.annotations.Nullable;

/**
 * The machine between two moments.
 *
 * @param seconds between them
 * @param user cores of the server's processes in user mode
 * @param system the same in the kernel
 * @param compilers how much of both the JVM's compiler threads took
 * @param origin cores of the origin's processes
 * @param client cores of the clients' processes on this machine
 * @param wireBytes sent by the interface that is watched
 * @param residentBytes of the server's processes at the end
 * @param scannedPages sum of {@code pgscan_*}
 * @param stolenPages sum of {@code pgsteal_*}
 * @param watts null without a meter
 */
public record HostSample(
    double seconds,
    double user,
    double system,
    double compilers,
    double origin,
    double client,
    long wireBytes,
    long residentBytes,
    long scannedPages,
    long stolenPages,
    long diskReadBytes,
    long diskWrittenBytes,
    @Nullable Double watts) {}
