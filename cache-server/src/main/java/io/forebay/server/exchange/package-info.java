/**
 * One request in flight, the same for every protocol.
 *
 * <pre>
 *   RequestHandler ─▶ Exchange ─▶ Lookup ─▶ Decider ─┬ hit   ─▶ StoredResponseSender ─▶ ResponseSink
 *                        │                           ├ stale ─▶ StoredResponseSender, and a refresh by a fill
 *                        │                           ├ miss  ─▶ FetchCoordinator ─▶ FillFollower ─▶ FillReader ─▶ ResponseSink
 *                        │                           └ pass  ─▶ PassThrough ─▶ ResponseSink
 *                        └ error ─▶ LocalReplies ─▶ ResponseSink
 * </pre>
 *
 * <p>Start at {@link Exchange}. {@link FreshHitResponder} is the fast lane: plain hits in memory
 * without an exchange. Everything is confined to the loop of the connection.
 */
@NullMarked
package io.forebay.server.exchange;

import org.jspecify.annotations.NullMarked;
