package io.forebay.server.cluster.peer;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * What a node shows to other nodes, and what it accepts of them.
 *
 * @param cas who issues certificates to nodes
 * @param chain the own certificate first
 */
public record NodeCredentials(
    List<X509Certificate> cas, List<X509Certificate> chain, PrivateKey key) {}
