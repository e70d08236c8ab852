package io.forebay.testing;

import java.nio.file.Files;

/** The part of a node's configuration by which it belongs to a cluster on loopback. */
public final class ClusterYaml {
  private ClusterYaml() {}

  /**
   * The sections {@code forwarding} and {@code cluster} of a node, whose certificate is made where
   * there is none.
   *
   * @param more lines of {@code cluster}, each with two blanks in front and a line end
   */
  public static String of(
      String cluster, String node, Certificates certificates, EtcdFixture etcd, String more)
      throws Exception {
    if (!Files.exists(certificates.pem(node))) {
      certificates.forUri(node, "forebay://" + cluster + "/" + node);
    }
    int port = Ports.free();
    return """
    forwarding: {node-id: %s}
    cluster:
      name: %s
      listen: "127.0.0.1:%d"
      advertise: "127.0.0.1:%d"
      tls: {ca: "%s", certificate: "%s", key: "%s"}
      log: {endpoints: "%s"}
    """
            .formatted(
                node,
                cluster,
                port,
                port,
                certificates.authorityPem(),
                certificates.pem(node),
                certificates.key(node),
                etcd.endpointList())
        + more;
  }
}
