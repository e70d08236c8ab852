/**
 * Forward authentication: another server decides whether a request is admitted. Start at {@link
 * ForwardAuth}.
 *
 * <pre>
 *   request ──► remembered by its credentials? ──► admitted at once
 *                   │ no
 *                   ▼
 *               asked already? ──yes──► waits
 *                   │ no                  │
 *                   ▼                     ▼
 *               Subrequest ──► origin: 2xx │ 401, 403, redirects │ all else
 *                                admitted    given to the client    503, or admitted
 * </pre>
 */
@NullMarked
package io.forebay.server.protect.forward;

import org.jspecify.annotations.NullMarked;
