/**
 * Configurations of nginx: read with their includes, and turned into routes and rules.
 *
 * <pre>
 *   http
 *    ├─ upstream ───────────────────► origins.NAME.servers      UpstreamImport
 *    └─ server ─► host patterns                                 NginxImport
 *        ├─ location /a/   ─────────► a route                   LocationImport
 *        ├─ location = /b  ─────────► rules of the route that has the path
 *        └─ location ~ RE  ─────────► rules of each route, behind the expressions before it
 * </pre>
 *
 * <p>Start at {@link io.forebay.cli.importer.nginx.NginxImport}.
 */
@NullMarked
package io.forebay.cli.importer.nginx;

import org.jspecify.annotations.NullMarked;
