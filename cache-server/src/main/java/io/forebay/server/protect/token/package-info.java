/**
 * Tokens that admit clients: where requests have them, the keys that verify them, and what was
 * found out about them lately. Start at {@link TokenVerifier}.
 *
 * <pre>
 *   request ──► TokenReader ──► verified lately? ──► admitted at once
 *                                    │ no
 *                                    ▼
 *                      threads: jwt.JwtVerifier ──► back to the loop
 *                                    │ key unknown        ▲
 *                                    ▼                    │ once more
 *   keys-url ◄── RemoteKeys: due, or asked for ───────────┘
 *                    └── data directory: the last good set of each URL
 * </pre>
 */
@NullMarked
package io.forebay.server.protect.token;

import org.jspecify.annotations.NullMarked;
