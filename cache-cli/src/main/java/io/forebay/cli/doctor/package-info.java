/**
 * {@code forebay doctor}: looks whether this machine suits a configuration, before a node is
 * started or measured. Changes nothing and needs no privileges.
 *
 * <pre>
 *   configuration ─┐
 *   /proc, /sys   ─┼─► Subject ─► Examination ─┬─ LimitChecks, MemoryChecks      ─► Finding …
 *   this JVM      ─┘                           ├─ NetworkChecks, PortChecks
 *                                              ├─ ProcessorChecks
 *                                              └─ DiskChecks, RuntimeChecks
 * </pre>
 *
 * <p>Start at {@link io.forebay.cli.doctor.DoctorCommand}. A check is a {@code Topic} with a name
 * that programs may rely on.
 */
@NullMarked
package io.forebay.cli.doctor;

import org.jspecify.annotations.NullMarked;
