/**
 * What a plugin is compiled against. A plugin is code in a jar that rules of a configuration call
 * in the phases of a request; what it can see and do is in this package, and nothing else of the
 * node.
 *
 * <pre>
 *   Plugin ── handler(PluginConfig) ──► Handler, once for each rule that names the plugin
 *                                        │
 *   client ──► RequestPhase        ClientRequest ──► RequestDecision   answer, pass, group of the key
 *              OriginRequestPhase  OriginRequest ──► OriginRequestEdits       ──► origin
 *              OriginResponsePhase Response      ──► StoreDecision            ◄── origin
 *   client ◄── DeliveryPhase       Response      ──► FieldEdits
 * </pre>
 *
 * <p>Start at {@link io.forebay.plugin.Plugin}. {@code io.forebay.plugin.test} runs a plugin
 * without a node. docs/PLUGINS.md has an example.
 */
@NullMarked
package io.forebay.plugin;

import org.jspecify.annotations.NullMarked;
