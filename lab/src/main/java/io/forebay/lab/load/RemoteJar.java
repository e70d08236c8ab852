package io.forebay.lab.load;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The lab's jar on other hosts: copied there by ssh, unless it is there already.
 *
 * @param local on this machine
 */
record RemoteJar(Path local) {
  private static final long ASK_MILLIS = 60_000;
  private static final long COPY_MILLIS = 600_000;

  /**
   * Puts the jar on a host.
   *
   * @param ssh the program and its options, with the host
   * @param remote path on that host
   */
  void put(List<String> ssh, String remote) throws IOException, InterruptedException {
    String digest = digest();
    String file = RemoteClients.quoted(remote);
    String there = on(ssh, "sha256sum < " + file + " 2>&1 || true", ASK_MILLIS);
    if (there.startsWith(digest)) {
      return;
    }
    String part = RemoteClients.quoted(remote + ".part");
    String directory = RemoteClients.quoted(remote.substring(0, remote.lastIndexOf('/') + 1) + ".");
    on(
        ssh,
        "mkdir -p " + directory + " && cat > " + part + " && mv " + part + " " + file,
        COPY_MILLIS);
  }

  private String on(List<String> ssh, String script, long limitMillis)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(ssh);
    command.add(script);
    return Programs.run(command, local, limitMillis).output();
  }

  private String digest() throws IOException {
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      try (InputStream in = new DigestInputStream(Files.newInputStream(local), sha256)) {
        in.transferTo(java.io.OutputStream.nullOutputStream());
      }
      return HexFormat.of().formatHex(sha256.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
