package io.forebay.server.cluster.member;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The name of a log in the positions of nodes, a hash of its {@code epoch} and of the id of etcd's
 * cluster. So a backup that is restored as another cluster of etcd is another log, at any revision.
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
