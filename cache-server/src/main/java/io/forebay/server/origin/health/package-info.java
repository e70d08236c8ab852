/**
 * Which endpoints of an origin are ejected because their requests fail. All event loops share it;
 * it lasts through reloads.
 *
 * <pre>
 *   usable ──failures in a row──► ejected ──time is up──► half-open: one request
 *     ▲                             ▲  longer each time       │      │
 *     │                             └─────────fails───────────┘      │
 *     └──────────────────────────────────answered────────────────────┘
 * </pre>
 *
 * <p>Start at {@link OriginHealth}. A healthy endpoint costs a read for each response. Nothing
 * locks.
 */
@NullMarked
package io.forebay.server.origin.health;

import org.jspecify.annotations.NullMarked;
