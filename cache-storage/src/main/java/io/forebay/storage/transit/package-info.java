/**
 * Records on their way from a disk to sockets, past the memory tier: counted buffers of a bounded
 * pool, one pool for each device, cut from slabs in pages of 2 MiB.
 *
 * <pre>
 *   device ──read──► TransitBuffer ──► socket        each holder has a count of its own;
 *                      │    ▲  ▲  └──► socket        the last release gives the buffer
 *                      ▼    │  └─ followers          back to its pool
 *                    memory tier (records that are read again)
 * </pre>
 */
@NullMarked
package io.forebay.storage.transit;

import org.jspecify.annotations.NullMarked;
