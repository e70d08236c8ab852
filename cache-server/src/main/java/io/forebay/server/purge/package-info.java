/**
 * Purges: what they name, by the routes in force, and how requests with a purge method ask for
 * them.
 *
 * <pre>
 *   PURGE request ─▶ PurgeRequestReader ─▶ PurgeOrder ─▶ PurgeQueue ─▶ PurgeScopes, PurgePredicate
 *   POST /v1/purge ─────────────────────▶ PurgeOrder ───────────────▶ PurgeScopes, PurgePredicate
 * </pre>
 *
 * <p>Start at {@link PurgeOrder}.
 */
@NullMarked
package io.forebay.server.purge;

import org.jspecify.annotations.NullMarked;
