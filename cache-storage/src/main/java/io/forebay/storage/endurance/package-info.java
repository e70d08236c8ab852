/**
 * How much is written to the devices of the disk tier, and how much may be: a history that outlives
 * the process, and the budget that bounds a day.
 *
 * <pre>
 *   each write of a device ──► WriteHistory ──► pages of the device's header, at most 60 s later
 *                                   │
 *                                   ▼
 *   record offered to it  ──► WriteBudget: open, only what was requested again, closed
 * </pre>
 *
 * <p>Start with {@link io.forebay.storage.endurance.WriteHistory}.
 */
@NullMarked
package io.forebay.storage.endurance;

import org.jspecify.annotations.NullMarked;
