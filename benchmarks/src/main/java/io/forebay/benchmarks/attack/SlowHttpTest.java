package io.forebay.benchmarks.attack;

import java.util.List;

/** The command of slowhttptest: many connections that send, or read, very slowly. */
final class SlowHttpTest {
  private static final int CONNECTIONS_PER_SECOND = 500;

  private SlowHttpTest() {}

  /**
   * One of its modes.
   *
   * @param mode {@code -H} slow heads, {@code -B} slow bodies, {@code -X} slow reading
   */
  static List<String> command(String mode, int connections, int seconds, String url) {
    return List.of(
        "slowhttptest",
        mode,
        "-c",
        Integer.toString(connections),
        "-r",
        Integer.toString(CONNECTIONS_PER_SECOND),
        "-l",
        Integer.toString(seconds),
        "-i",
        "5",
        "-v",
        "1",
        "-u",
        url);
  }
}
