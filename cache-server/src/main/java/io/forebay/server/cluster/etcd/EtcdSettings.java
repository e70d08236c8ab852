package io.forebay.server.cluster.etcd;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * How etcd is reached.
 *
 * @param endpoints of its members, without a path
 * @param tls null: the JVM's
 * @param user null where none is asked for
 * @param password of the user
 * @param timeout for the answer of one member
 * @param patience for how long a purge tries all members again, as while they elect a leader
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

  /** Without the password. */
  @Override
  public String toString() {
    return "EtcdSettings[endpoints=" + endpoints + ", user=" + user + "]";
  }
}
