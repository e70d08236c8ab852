/**
 * {@code forebay bundle}: one archive with all that somebody else needs to understand a node in
 * trouble, and no secrets.
 *
 * <pre>
 *   admin API ──────► NodeState ──┐
 *   access log ─────► WorstMisses ┤
 *   jcmd ───────────► NodeProcess ┼─► Bundle ─► Redactor ─► archive, mode 0600
 *     FlameGraph ◄── recording    │     │
 *   configuration, doctor, logs ──┘     └─ manifest.json: what is there, and what is not and why
 * </pre>
 *
 * <p>Start at {@link io.forebay.cli.bundle.BundleCommand}. Nothing gets into the archive but
 * through {@code Bundle}, which redacts all of it. Whatever fails is a line of the manifest.
 */
@NullMarked
package io.forebay.cli.bundle;

import org.jspecify.annotations.NullMarked;
