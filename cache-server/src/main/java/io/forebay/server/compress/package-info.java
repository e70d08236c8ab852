/**
 * Content codings of responses: which responses are compressed and how, and the threads that do it.
 *
 * <pre>
 *   CompressionSettings ─ of a route: types, sizes, codings, levels
 *   CodingWeights ─────── what a client accepts, by weight ─► the coding it gets
 *   CodedTag ──────────── entity tags of coded responses, and the way back
 *
 *   event loop                                          pool of the node: Compressors
 *   CodingStream ── one piece of a body at a time ────► BodyCodec: gzip, br, zstd
 *        ▲                                                  │
 *        └────────── onEncoded, onReady, onEnd ◄────────────┘
 * </pre>
 *
 * <p>Start at {@link CodingStream}: one body on its way through a coding. It is used by one loop;
 * the work is done on the pool, one piece at a time and in order. Nothing here knows of requests,
 * exchanges or the store.
 */
@NullMarked
package io.forebay.server.compress;

import org.jspecify.annotations.NullMarked;
