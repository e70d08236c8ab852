/**
 * Certificates by ACME (RFC 8555): the node orders them, proves that it serves their names, keeps
 * them in the data directory and renews them.
 *
 * <pre>
 *   ReloadService ──reconfigure──► CertificateManager ◄── OnDemandNames ◄── handshakes
 *                                    │  thread "acme", one step at a time
 *              ┌──────────┬──────────┼──────────────┬───────────────┐
 *        ManagedHost  OrderProgress  RenewalPolicy  AcmeFiles   PendingChallenges
 *        (one a name)     │          Backoff        (0600)        │           │
 *                         ▼                                    tokens    certificates
 *                   AcmeDirectory ── BoundedConnection         http-01    tls-alpn-01
 *                    (acme4j)          └──► authority             │           │
 *                                                                 ▼           ▼
 *                                                             exchange     ClientTls
 * </pre>
 *
 * <p>Nodes of a cluster order together: {@link io.forebay.server.tls.acme.AcmeOrderGroup} is what a
 * cluster offers, {@code GroupCertificates} what a node makes of it, and {@link
 * io.forebay.server.tls.acme.AlpnChallenges} has the validations by tls-alpn-01 of all nodes.
 *
 * <p>Start with {@link io.forebay.server.tls.acme.CertificateManager}. Only its thread touches the
 * network and files; event loops read immutable tables. Policy ({@code RenewalPolicy}, {@code
 * Backoff}, {@code OnDemandPolicy}) is apart from mechanism and takes the time and randomness as
 * arguments.
 */
@NullMarked
package io.forebay.server.tls.acme;

import org.jspecify.annotations.NullMarked;
