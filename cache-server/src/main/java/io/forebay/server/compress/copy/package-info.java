/**
 * Coded copies of stored responses: made once in the background, then found and served like other
 * objects.
 *
 * <pre>
 *   a request, and the object O that it is answered from
 *        │
 *   Representation ── identity, a coding, or a tag that the client has confirmed
 *        │ a coding
 *        ▼
 *   key of O, and " :br9.1" ──► found, made of O and of its head ──────────► served in place of O
 *        │                  └─► found, made of an earlier head of O ──► CopyMaker.rewrite
 *        └─ not there ──► O is served; CopyMaker.ask ─► CopyJob
 *                                                         │ reads O piece by piece
 *                         CopyRegistry: one job a copy,   ▼
 *                         and which are not worth it   CodingStream ─► pool
 *                                                         │
 *                                                         └─► ObjectWriter ─► installed, if O is there
 * </pre>
 *
 * <p>All that is decided about a response is decided about O. A copy names O by its number and the
 * birth of its head; it has the scopes of O, and the birth of its body. So a purge kills both, and
 * a copy whose source is gone or was replaced is never served.
 *
 * <p>Start at {@link CopyMaker}.
 */
@NullMarked
package io.forebay.server.compress.copy;

import org.jspecify.annotations.NullMarked;
