/**
 * Configurations of Apache Traffic Server: {@code remap.config} and the files beside it.
 *
 * <pre>
 *   remap.config ─► LineReader ─► RemapReader ─► RemapRule ... ─┐
 *                   (with .include)  filters, plugins           ├─► RouteAssembly ─► routes
 *   cache.config, parent.config ─► CacheControl, ParentProxies ─┤    one for each host and path
 *   records.config, records.yaml ─► Records ────────────────────┘
 *                                   NodeSettings ─► listeners, timeouts, limits
 *   storage.config, ssl_multicert.config ─► SiblingFiles ─► stores, certificates
 * </pre>
 *
 * <p>Start at {@link io.forebay.cli.importer.trafficserver.TrafficServerImport}.
 */
@NullMarked
package io.forebay.cli.importer.trafficserver;

import org.jspecify.annotations.NullMarked;
