package io.forebay.server.tls;

import io.forebay.server.config.TlsConfig.Policy;
import java.util.List;

/**
 * Mozilla's recommendations of the same names (Server Side TLS 5.8), as far as BoringSSL supports
 * them: it has no finite-field Diffie-Hellman, which only {@code intermediate} lists, in last
 * place. The client's cipher preference applies: clients without AES in hardware prefer ChaCha20.
 *
 * @param ciphers by their names in the JDK
 * @param groups of key exchange, the one that quantum computers do not break first
 */
record TlsPolicy(List<String> protocols, List<String> ciphers, List<String> groups) {
  private static final List<String> OF_TLS_13 =
      List.of("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256");

  private static final List<String> GROUPS = List.of("X25519MLKEM768", "X25519", "P-256", "P-384");

  private static final TlsPolicy MODERN = new TlsPolicy(List.of("TLSv1.3"), OF_TLS_13, GROUPS);

  private static final TlsPolicy INTERMEDIATE =
      new TlsPolicy(
          List.of("TLSv1.3", "TLSv1.2"),
          List.of(
              OF_TLS_13.get(0),
              OF_TLS_13.get(1),
              OF_TLS_13.get(2),
              "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
              "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
              "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
              "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
              "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
              "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"),
          GROUPS);

  static TlsPolicy of(Policy policy) {
    return switch (policy) {
      case MODERN -> MODERN;
      case INTERMEDIATE -> INTERMEDIATE;
    };
  }
}
