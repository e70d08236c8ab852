package io.forebay.server.cluster.peer;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * The certificate that a node shows to other nodes, and the authorities whose certificates it
 * accepts.
 *
 * @param cas authorities that issue certificates to nodes
 * @param chain the own certificate first
 */
public record NodeCredentials(
    List<X509Certificate> cas, List<X509Certificate> chain, PrivateKey key) {}
