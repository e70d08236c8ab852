package io.forebay.server.cluster.etcd;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * How the node connects to etcd.
 *
 * @param endpoints of its members, without a path
 * @param tls null: the JVM's
 * @param user null for none
 * @param password of the user
 * @param timeout for the answer of one member
 * @param patience how long a purge tries all members again, for example while they elect a leader
 */
public record EtcdSettings(
    List<URI> endpoints,
    @Nullable SSLContext tls,
    @Nullable String user,
    @Nullable String password,
    Duration timeout,
    Duration patience) {

  public EtcdSettings {
    if (endpoints.isEmpty()) {
      throw new IllegalArgumentException("etcd has no endpoint");
    }
  }

  /** Leaves the password out. */
  @Override
  public String toString() {
    return "EtcdSettings[endpoints=" + endpoints + ", user=" + user + "]";
  }
}
