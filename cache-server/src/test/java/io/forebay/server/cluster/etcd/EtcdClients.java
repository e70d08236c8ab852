package io.forebay.server.cluster.etcd;

import java.net.URI;
import java.time.Duration;
import java.util.List;

/** Clients of the etcd of a test. */
public final class EtcdClients {
  private EtcdClients() {}

  /** Without TLS and users. */
  public static EtcdClient of(List<URI> endpoints) {
    return new EtcdClient(
        new EtcdSettings(
            endpoints, null, null, null, Duration.ofSeconds(10), Duration.ofSeconds(10)));
  }
}
