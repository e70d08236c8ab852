/**
 * Rules of routes: conditions on requests, and what follows where they hold. Compiled once from the
 * configuration, immutable, evaluated without interpreting text.
 *
 * <pre>
 *   configuration ──► RouteRules ─┬─ RoutePresets         error pages, CorsPolicy, SecurityHeaders
 *                          │      └─ Rule ─┬─ Condition    host, path, header, client, ...
 *                          │              │              or an Expression in CEL
 *                          │              ├─ LocalAnswer  deny, redirect (or by a RedirectMap), respond
 *                          │              └─ FieldEdits   fields of what is delivered
 *                          ├── KeyGroups ── Split           groups of clients that keys tell apart
 *   RequestFacts ──────────┴─► RuleOutcome                what one request gets
 *   ResponseHead ──────────────► ResponseCondition        which edits apply to its response
 * </pre>
 *
 * <p>Start at {@link io.forebay.server.rule.RouteRules}. Knows neither the configuration, which
 * builds its objects, nor exchanges, which evaluate them.
 */
@NullMarked
package io.forebay.server.rule;

import org.jspecify.annotations.NullMarked;
