package io.forebay.server.drive;

/**
 * What a drive says of itself. Numbers that it does not tell are NaN.
 *
 * @param store the disk store that lies on it
 * @param drive as the kernel names it, such as {@code nvme0n1}
 * @param passed 1 if the drive considers itself healthy, 0 if not
 * @param usedRatio of its rated endurance; may be more than 1
 * @param spareRatio of its spare blocks that is left
 * @param writtenBytes by the host in the life of the drive
 */
public record DriveHealth(
    String store,
    String drive,
    double passed,
    double temperatureCelsius,
    double usedRatio,
    double spareRatio,
    double mediaErrors,
    double writtenBytes) {}
