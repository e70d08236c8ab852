package io.forebay.server.digest;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The Repr-Digest line that a stored head gets. Its length depends on the algorithms alone, so room
 * for it is taken before the body has come.
 */
public final class DigestLine {
  private DigestLine() {}

  /** A head with such a line at its end, to be {@link #write overwritten} before it is used. */
  public static byte[] reserve(byte[] head, List<DigestAlgorithm> algorithms) {
    if (algorithms.isEmpty()) {
      return head;
    }
    Map<DigestAlgorithm, byte[]> none = new EnumMap<>(DigestAlgorithm.class);
    algorithms.forEach(algorithm -> none.put(algorithm, new byte[algorithm.length()]));
    byte[] reserved = Arrays.copyOf(head, head.length + line(none, algorithms).length);
    write(reserved, none, algorithms);
    return reserved;
  }

  /** Writes the line at the end of a head, into the room reserved for it. */
  public static void write(
      byte[] head, Map<DigestAlgorithm, byte[]> digests, List<DigestAlgorithm> algorithms) {
    byte[] line = line(digests, algorithms);
    System.arraycopy(line, 0, head, head.length - line.length, line.length);
  }

  private static byte[] line(
      Map<DigestAlgorithm, byte[]> digests, List<DigestAlgorithm> algorithms) {
    return (DigestFields.OF_REPRESENTATION
            + ": "
            + algorithms.stream()
                .map(algorithm ->
                    algorithm.key()
                        + "=:"
                        + Base64.getEncoder().encodeToString(digests.get(algorithm))
                        + ":")
                .collect(Collectors.joining(", "))
            + "\r\n")
        .getBytes(StandardCharsets.US_ASCII);
  }
}
