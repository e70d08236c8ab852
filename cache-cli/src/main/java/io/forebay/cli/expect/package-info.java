/**
 * {@code forebay config test}: runs a script of requests and expectations through a real node that
 * has the operator's configuration, with scripted origins in place of the configured ones.
 *
 * <pre>
 *   script.yaml ─► {@link io.forebay.cli.expect.ScriptReader} ─► {@link io.forebay.cli.expect.Script}
 *                                                                │
 *                   step by step {@link io.forebay.cli.expect.ScriptRun} ─► {@link io.forebay.cli.expect.StepChecker}
 *                                   │                 ▲
 *   {@link io.forebay.cli.expect.ScriptClient} ──PROXY, TLS──► node ──HTTP──► {@link io.forebay.cli.expect.ScriptedOrigins}
 *                                   {@link io.forebay.cli.expect.RehearsedNode}
 * </pre>
 *
 * The node is {@code Server.rehearse} on loopback, in a scratch directory, by a clock that stands
 * still until a step moves it. What it decided is read from its access log.
 */
@NullMarked
package io.forebay.cli.expect;

import org.jspecify.annotations.NullMarked;
