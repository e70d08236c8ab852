/**
 * Error pages of routes: bodies in place of the plain text that the node, or the error that an
 * origin, answers with. Read and parsed once from the configuration; immutable.
 *
 * <pre>
 *   status ──► ErrorPages ──► StatusPage ──► PageTemplate + PageFacts ──► bytes
 *                                 Accept: JSON or not
 * </pre>
 *
 * <p>Start at {@link io.forebay.server.page.ErrorPages}.
 */
@NullMarked
package io.forebay.server.page;

import org.jspecify.annotations.NullMarked;
