/**
 * Which endpoints of an origin are avoided: ejected because their requests fail, or because their
 * probes do. All event loops share it; it lasts through reloads.
 *
 * <pre>
 *   usable ──failures in a row──► ejected ──time is up──► half-open: one request
 *     ▲                             ▲  longer each time       │      │
 *     │                             └─────────fails───────────┘      │
 *     └──────────────────────────────────answered────────────────────┘
 *
 *   ProbeStatus: untested ──► passing ◄──► failing: avoided, and no half-open request
 *                                 └── after failing, it also ends an ejection
 * </pre>
 *
 * <p>Endpoints that are much slower than the others are ejected too, where that is configured, see
 * {@link SlowEndpoints}. One that recovers starts slowly: its weight grows.
 *
 * <p>Start at {@link OriginHealth}. A healthy endpoint costs a read for each response. Nothing
 * locks.
 */
@NullMarked
package io.forebay.server.origin.health;

import org.jspecify.annotations.NullMarked;
