package io.forebay.server.config;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP proxy through which connections to an origin go.
 *
 * @param url {@code http://host:port}
 * @param user null if the proxy asks for none
 * @param password empty for none
 * @param passwordFile where the password comes from, or null
 */
public record ProxyConfig(
    String url, @Nullable String user, String password, @Nullable Path passwordFile) {

  /** The value of Proxy-Authorization (RFC 7617), or null. */
  public @Nullable String authorization() {
    return user == null
        ? null
        : "Basic "
            + Base64.getEncoder()
                .encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
  }

  /** Without the password, for logs. */
  @Override
  public String toString() {
    return url;
  }
}
