/**
 * Pages assembled from ESI (Edge Side Includes 1.0) for each client, of stored or passed responses.
 *
 * <pre>
 *   client's sink ◄── PageOutput ◄── PageAssembly ──► Subrequests: exchanges of this node
 *                     (compresses)      │                  │
 *                                       │                  ├─► PageSink ─────► EsiDocument of the page
 *                                       │                  └─► FragmentSink ─► EsiDocument of a fragment
 *                                       ▼
 *                        EsiDocument: EsiParser ─► OpenElements ─► Text │ Include │ Try, in order
 *                                                  (which branch)           └─► EsiDocument
 * </pre>
 *
 * <p>Start at {@link PageAssembly}. The request of a client and the request of each fragment is an
 * exchange of its own, with its own route, key, lookup and fetch. So a page is stored with its
 * tags, and a fragment is stored, shared and purged like every other response. An exchange knows of
 * all this only an {@link EsiRole}: whether a response that it found is a page, which must be sent
 * whole, as it came.
 *
 * <p>Everything is confined to the loop of the client's connection. Sinks only take bytes and queue
 * a turn: parsing, starting exchanges and writing happen in turns, never within a call of an
 * exchange.
 */
@NullMarked
package io.forebay.server.esi;

import org.jspecify.annotations.NullMarked;
