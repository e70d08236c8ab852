package io.forebay.server.cluster.peer;

import java.security.cert.Certificate;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Names of nodes in certificates. */
public final class PeerName {
  /** Type of a GeneralName that is a URI (RFC 5280 §4.2.1.6). */
  private static final int URI = 6;

  private PeerName() {}

  /** The URI of a node. */
  public static String uri(String cluster, String node) {
    return "forebay://" + cluster + "/" + node;
  }

  /** The nodes of a cluster that a certificate names. */
  public static Set<String> nodes(String cluster, X509Certificate certificate) {
    Set<String> nodes = new TreeSet<>();
    String start = uri(cluster, "");
    try {
      Collection<List<?>> names = certificate.getSubjectAlternativeNames();
      for (List<?> name : names == null ? List.<List<?>>of() : names) {
        if (name.get(0) instanceof Integer type
            && type == URI
            && name.get(1) instanceof String text
            && text.startsWith(start)) {
          nodes.add(text.substring(start.length()));
        }
      }
    } catch (CertificateParsingException e) {
      return Set.of();
    }
    return nodes;
  }

  static Set<String> nodes(String cluster, Certificate[] chain) {
    return chain.length > 0 && chain[0] instanceof X509Certificate certificate
        ? nodes(cluster, certificate)
        : Set.of();
  }
}
