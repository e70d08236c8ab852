/**
 * Protection of routes: what decides whether a client may have an answer at all, for hits in the
 * fast lane as for everything else. Start at {@link Gatekeeper}.
 *
 * <pre>
 *   protection.NAME ──► RouteProtection: compiled at load, immutable, shared by loops
 *                           │
 *   request of a route ──► Gatekeeper (one per loop) ──► admitted
 *                           │                        │      └ Usage: bytes, requests in flight
 *                           │                        └─► Refusal: status, reason, fields
 *                           └ ClientAddress: whose request is it?
 * </pre>
 *
 * A route without protection has no gate.
 */
@NullMarked
package io.forebay.server.protect;

import org.jspecify.annotations.NullMarked;
