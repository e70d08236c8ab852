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
 * <p>Start at {@link Exchange}. No other class sees it; each takes what it uses of its parts:
 *
 * <pre>
 *   ClientRequest    data: request, configuration, route, key, reason
 *   ClientResponse   sink, record, how far the response has come; the exchange extends it
 *   Continuation     which step follows: for the classes that wait for content, fills or origins
 *   StoredResponseSender.Owner, BodyFallback.Fetches     what these two ask of the exchange
 * </pre>
 *
 * <p>{@link FreshHitResponder} is the fast lane: plain hits in memory without an exchange.
 * Everything is confined to the loop of the connection.
 */
@NullMarked
package io.forebay.server.exchange;

import org.jspecify.annotations.NullMarked;
