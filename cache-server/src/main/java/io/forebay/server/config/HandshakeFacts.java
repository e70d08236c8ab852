package io.forebay.server.config;

/**
 * What conditions can ask of clients' handshakes.
 *
 * @param isFingerprinting whether there are JA4 fingerprints
 * @param asksForCertificates whether some clients are asked for certificates
 */
record HandshakeFacts(boolean isFingerprinting, boolean asksForCertificates) {}
