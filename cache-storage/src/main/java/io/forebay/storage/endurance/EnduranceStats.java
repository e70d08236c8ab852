package io.forebay.storage.endurance;

/**
 * How much was written to a device, and what that means for its life.
 *
 * @param beganMillis when the history began
 * @param totalBytes written since then, over restarts
 * @param dayBytes written in the current hour and the 24 before it
 * @param driveWritesPerDay mean of the last week in sizes of the device; NaN in the first day
 * @param yearsLeft until the rated bytes are written, at that mean; NaN if not known
 * @param admission what the budget of a day admits now
 * @param refused records that the budget did not admit
 */
public record EnduranceStats(
    long beganMillis,
    long totalBytes,
    long dayBytes,
    double driveWritesPerDay,
    double yearsLeft,
    EnduranceLimits limits,
    WriteBudget.Admission admission,
    long refused) {}
