package io.forebay.server.network;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file of networks: one address or CIDR block on each line. A {@code #} begins a comment; blank
 * lines are ignored.
 */
public final class NetworkFile {

  /** The most networks that a file may have. */
  public static final int MAX_NETWORKS = 1_000_000;

  private static final long MAX_BYTES = 64L << 20;
  private static final int MAX_SHOWN = 60;

  private NetworkFile() {}

  /**
   * Reads a file.
   *
   * @throws IOException with a message that names the line, for a file that cannot be used
   */
  public static NetworkSet read(Path file) throws IOException {
    if (Files.size(file) > MAX_BYTES) {
      throw new IOException("the file is larger than 64MiB");
    }
    NetworkSet.Builder networks = new NetworkSet.Builder();
    int number = 0;
    int count = 0;
    try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        number++;
        int comment = line.indexOf('#');
        String network = (comment < 0 ? line : line.substring(0, comment)).strip();
        if (network.isEmpty()) {
          continue;
        }
        String why = networks.add(network);
        if (why != null) {
          throw new IOException("line " + number + ": \"" + shown(network) + "\" " + why);
        }
        if (++count > MAX_NETWORKS) {
          throw new IOException("line " + number + ": more than " + MAX_NETWORKS + " networks");
        }
      }
    } catch (CharacterCodingException e) {
      throw new IOException("line " + (number + 1) + " or later is not UTF-8", e);
    }
    return networks.build();
  }

  private static String shown(String text) {
    String part = text.length() > MAX_SHOWN ? text.substring(0, MAX_SHOWN) + "…" : text;
    return part.replaceAll("\\p{Cntrl}", "?");
  }
}
