/**
 * Plugins: code in jars of a directory that rules call, compiled against {@code io.forebay.plugin}.
 *
 * <pre>
 *   directory ──► PluginJar ──► PluginClassLoader ──► PluginSet      when a configuration is loaded
 *                 in memory     sees the API and       │  by name
 *                               the JDK alone          ▼
 *   rule ──────────────────────────────────────────► PluginUse ──► PluginCall    one a request
 *                                                                   │
 *   Handler of the plugin ◄── CallGuard: budget, counters, log ─────┘
 *   Lease: the handlers of one configuration, closed when nothing uses them any more
 * </pre>
 *
 * <p>Start at {@link io.forebay.server.plugin.PluginSet}. A plugin has all rights of the process:
 * class loaders keep its classes apart from those of the node, and are no bound against malice.
 */
@NullMarked
package io.forebay.server.plugin;

import org.jspecify.annotations.NullMarked;
