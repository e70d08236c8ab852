/**
 * Programs in VCL, the language of Varnish: read with their includes, and turned into one route
 * with rules.
 *
 * <pre>
 *   VclLexer ─► VclParser ─► VclProgram
 *    ├─ backend, probe, director ──► origins.NAME                       BackendImport
 *    ├─ acl ───────────────────────► networks                           AclImport
 *    ├─ vcl_recv ──────────────────► rules, settings of the route       ReceiveImport
 *    │   ├─ PURGE, BAN ────────────► purge.from                         PurgeImport
 *    │   └─ synth, with vcl_synth ─► deny, redirect, respond            SynthImport
 *    ├─ vcl_hash ──────────────────► key                                HashImport
 *    └─ vcl_backend_*, vcl_deliver ► ttl, grace, response-headers       ResponseImport
 *
 *   if (...) ─► ConditionImport ─► Condition ─► when, response
 * </pre>
 *
 * <p>VCL runs from top to bottom and changes the request on its way; all rules that hold apply, and
 * see the request as the client sent it. So {@code RequestState} has what VCL made of the request
 * so far, and a {@code Condition} all that leads to a statement.
 *
 * <p>Start at {@link io.forebay.cli.importer.vcl.VclImport}.
 */
@NullMarked
package io.forebay.cli.importer.vcl;

import org.jspecify.annotations.NullMarked;
