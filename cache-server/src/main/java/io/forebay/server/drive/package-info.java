/**
 * The health of the drives below the disk stores, as smartctl reports it.
 *
 * <pre>
 *  stores.NAME.path ─► BlockDevices (/sys/dev/block) ─► drive ─► Smartctl (a program, with limits)
 *                                                                    │ JSON
 *  metrics ◄── DriveMonitor, every ten minutes on its thread ◄── SmartReport
 * </pre>
 *
 * <p>Without {@code store.smartctl} nothing of this exists.
 */
@NullMarked
package io.forebay.server.drive;

import org.jspecify.annotations.NullMarked;
