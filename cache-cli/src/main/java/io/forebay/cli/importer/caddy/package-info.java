/**
 * Caddyfiles.
 *
 * <pre>
 *   Caddyfile ─► CaddyfileLexer ─► CaddyfileParser ─► Directive ... (snippets and files in place)
 *                                                        │
 *     global options ─► GlobalOptions                    │
 *     site addresses ─► SiteAddress, SiteListeners ◄─────┤
 *     handlers ─► DirectiveOrder ─► HandlerChain ◄───────┘
 *                                   MatcherReader, Placeholders, HeaderEdits,
 *                                   ReverseProxyImport ─► rules and origins of a site
 *     SiteRoutes: sites of one host as a route
 * </pre>
 *
 * <p>Start at {@link io.forebay.cli.importer.caddy.CaddyImport}.
 */
@NullMarked
package io.forebay.cli.importer.caddy;

import org.jspecify.annotations.NullMarked;
