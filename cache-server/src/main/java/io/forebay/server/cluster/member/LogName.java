package io.forebay.server.cluster.member;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The name of a log as nodes have it in their positions: made of its {@code epoch} and of the
 * cluster of etcd that it is in. A backup that is restored as another cluster of etcd is another
 * log, whatever revision it has come to.
 */
final class LogName {
  private static final int BYTES = 16;

  private LogName() {}

  static String of(String epoch, String clusterId) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest((epoch + '\n' + clusterId).getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(Arrays.copyOf(digest, BYTES));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("no SHA-256 in this Java", e);
    }
  }
}
