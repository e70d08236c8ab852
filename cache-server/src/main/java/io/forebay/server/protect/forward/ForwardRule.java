package io.forebay.server.protect.forward;

import io.forebay.core.http.RequestView;
import io.forebay.server.config.ForwardAuthConfig;
import io.forebay.server.config.ForwardAuthConfig.CachePart;
import io.forebay.server.protect.token.TokenReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The forward authentication of a profile, compiled when the configuration is loaded. Immutable;
 * any thread.
 */
public final class ForwardRule {
  private final ForwardAuthConfig config;
  private final @Nullable String host;
  private final String nodeId;
  private final byte[] identity;

  /**
   * Compiles a configuration.
   *
   * @param host that the origin is asked by, or null for that of the request
   * @param nodeId by which the node knows its own requests
   */
  public ForwardRule(
      String profile, ForwardAuthConfig config, @Nullable String host, String nodeId) {
    this.config = config;
    this.host = host;
    this.nodeId = nodeId;
    this.identity = (profile + "\n" + config + "\n" + host).getBytes(StandardCharsets.UTF_8);
  }

  public ForwardAuthConfig config() {
    return config;
  }

  @Nullable String host() {
    return host;
  }

  String nodeId() {
    return nodeId;
  }

  /** A hash of all that a verdict is remembered by; null where none is remembered. */
  @Nullable String key(RequestView request) {
    if (config.cacheBy().isEmpty()) {
      return null;
    }
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
    digest.update(identity);
    for (CachePart part : config.cacheBy()) {
      List<String> values = values(part, request);
      digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, values.size()));
      for (String value : values) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length));
        digest.update(bytes);
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static List<String> values(CachePart part, RequestView request) {
    return switch (part.kind()) {
      case HOST -> List.of(request.authority());
      case METHOD -> List.of(request.method());
      case PATH -> List.of(request.path());
      case HEADER -> request.fields().all(part.name());
      case COOKIE -> TokenReader.cookies(request.fields(), part.name());
    };
  }
}
