package io.forebay.server.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.listen.connection.FramingTarget;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs Jazzer as a separate program on {@link FramingTarget}: client, node and origin agree where
 * messages end.
 */
@Tag("full")
final class FramingFuzzTest {

  private static final String HOST = " HTTP/1.1\r\nHost: a\r\n";

  /** To begin with: every kind of message, and what others have fallen for. */
  private static final List<String> SEEDS =
      List.of(
          "GET /" + HOST + "\r\n",
          "GET /a" + HOST + "\r\nGET /b?c=d" + HOST + "Connection: close\r\n\r\n",
          "\r\nHEAD /" + HOST + "\r\n",
          "GET http://b/c" + HOST + "\r\n",
          "GET /old HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /next HTTP/1.0\r\n\r\n",
          "OPTIONS *" + HOST + "\r\nGET /a" + HOST + "\r\n",
          "POST /a" + HOST + "Content-Length: 5\r\n\r\nhelloGET /b" + HOST + "\r\n",
          "POST /a" + HOST + "Content-Length: 0\r\n\r\nGET /b" + HOST + "\r\n",
          "POST /a" + HOST + "Content-Length: 50\r\n\r\nhello",
          "PUT /a" + HOST + "Expect: 100-continue\r\nContent-Length: 3\r\n\r\nabc",
          "POST /a"
              + HOST
              + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\nGET /b"
              + HOST
              + "\r\n",
          "POST /a"
              + HOST
              + "Transfer-Encoding: chunked\r\n\r\n00a;x=y;z=\"q\"\r\n0123456789\r\n0\r\nT: v\r\n\r\nGET /b"
              + HOST
              + "\r\n",
          "POST /a" + HOST + "Transfer-Encoding: chunked\r\n\r\n5\r\nhel",
          "POST /a" + HOST + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
          "POST /a" + HOST + "Content-Length: 4\r\nContent-Length: 5\r\n\r\nhello",
          "POST /a" + HOST + "Content-Length: +5\r\n\r\nhello",
          "POST /a" + HOST + "Content-Length : 5\r\n\r\nhello",
          "POST /a" + HOST + "Content-Length: 5, 5\r\n\r\nhello",
          "POST /a" + HOST + "Transfer-Encoding: ,chunked\r\n\r\n0\r\n\r\n",
          "POST /a" + HOST + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
          "POST /a" + HOST + "Transfer-Encoding:\u000bchunked\r\n\r\n0\r\n\r\n",
          "POST /a" + HOST + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
          "POST /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
          "POST /a" + HOST + "Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n",
          "POST /a" + HOST + "Transfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n",
          "POST /a" + HOST + "Transfer-Encoding: chunked\r\n\r\n5;\n\r\nhello\r\n0\r\n\r\n",
          "POST /a" + HOST + "Transfer-Encoding: chunked\r\n\r\n5\r\nhelloXX0\r\n\r\n",
          "POST /a" + HOST + "Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 3\r\n\r\n",
          "POST /a" + HOST + "Transfer-Encoding: chunked\r\n\r\n0\r\nTrailer: a\rb\0\r\n\r\n",
          "POST /a" + HOST + "Transfer-Encoding: chunked\r\n\r\n0\r\nX: a\r\n b\r\n\r\n",
          "GET /" + HOST + "X: a\r\n b\r\n\r\n",
          "GET /" + HOST + "X: a\nY: b\r\n\r\n",
          "GET /" + HOST + "X: a\rY: b\r\n\r\n",
          "GET /" + HOST + "X: a\0b\r\n\r\n",
          "GET /" + HOST + "Connection: content-length\r\n\r\n",
          "GET /a b" + HOST + "\r\n",
          "GET  /a" + HOST + "\r\n",
          "GET /" + HOST + "Sec-WebSocket-Key1: 1\r\n\r\n01234567GET /b" + HOST + "\r\n");

  /** How they come: whole, byte by byte, in pieces of seven; the last to a hasty origin. */
  private static final char[] WAYS = {0, 1, 7, 0x80};

  /** Words to build with. */
  private static final String DICTIONARY =
      """
      "Transfer-Encoding: chunked\\x0d\\x0a"
      "Content-Length: 5\\x0d\\x0a"
      "Content-Length: 0\\x0d\\x0a"
      "Host: a\\x0d\\x0a"
      "Expect: 100-continue\\x0d\\x0a"
      "Connection: close\\x0d\\x0a"
      "Connection: keep-alive\\x0d\\x0a"
      "Trailer: X\\x0d\\x0a"
      "TE: trailers\\x0d\\x0a"
      "Upgrade: websocket\\x0d\\x0a"
      "GET / HTTP/1.1\\x0d\\x0a"
      "POST /b HTTP/1.1\\x0d\\x0a"
      " HTTP/1.0\\x0d\\x0a"
      "0\\x0d\\x0a\\x0d\\x0a"
      "5\\x0d\\x0ahello\\x0d\\x0a"
      "\\x0d\\x0a"
      "\\x0d\\x0a\\x0d\\x0a"
      "\\x0a"
      "\\x0d"
      "\\x0b"
      "\\x00"
      "\\x85"
      "\\xa0"
      "chunked"
      ";a=b"
      """;

  @TempDir Path directory;

  @Test
  void allAgreeOnWhereMessagesEnd() throws Exception {
    // The same inputs with each build; the campaign finds new ones.
    assertEquals("", findings(FramingTarget.class, List.of("-runs=20000", "-seed=1")));
  }

  @Test
  @Tag("campaign")
  void allAgreeOnWhereMessagesEndForLong() throws Exception {
    assertEquals("", findings(FramingTarget.class, List.of("-max_total_time=1200")));
  }

  /** One byte too many, or too few, on the way to the origin: then nothing above means anything. */
  @ParameterizedTest
  @ValueSource(classes = {OneByteMore.class, OneByteLess.class})
  void whatIsFramedWronglyIsFound(Class<?> broken) throws Exception {
    assertNotEquals("", findings(broken, List.of("-runs=20000")));
  }

  /** A line feed more behind a chunked body. */
  public static final class OneByteMore {
    private OneByteMore() {}

    public static void fuzzerTestOneInput(byte[] data) {
      FramingTarget.check(data, bytes -> replaced(bytes, "\r\n0\r\n\r\n", "\r\n0\r\n\r\n\n"));
    }
  }

  /** The last byte of a chunked body is missing. */
  public static final class OneByteLess {
    private OneByteLess() {}

    public static void fuzzerTestOneInput(byte[] data) {
      FramingTarget.check(data, bytes -> replaced(bytes, "\r\n0\r\n\r\n", "\r\n0\r\n\r"));
    }
  }

  private static byte[] replaced(byte[] bytes, String what, String by) {
    return new String(bytes, StandardCharsets.ISO_8859_1)
        .replace(what, by)
        .getBytes(StandardCharsets.ISO_8859_1);
  }

  /** What Jazzer says of its findings; empty where it has none. */
  private String findings(Class<?> target, List<String> options) throws Exception {
    Path corpus = Files.createDirectories(directory.resolve("corpus"));
    for (int i = 0; i < SEEDS.size(); i++) {
      for (char way : WAYS) {
        Files.writeString(
            corpus.resolve((int) way + "-" + i), way + SEEDS.get(i), StandardCharsets.ISO_8859_1);
      }
    }
    Path words = directory.resolve("words");
    Files.writeString(words, DICTIONARY);
    List<String> command = new ArrayList<>();
    command.add(Objects.requireNonNull(ProcessHandle.current().info().command().orElse("java")));
    command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"));
    command.addAll(
        List.of("-Dio.netty.leakDetection.level=disabled", "-XX:+EnableDynamicAgentLoading"));
    command.addAll(List.of("-cp", classPath(), "com.code_intelligence.jazzer.Jazzer"));
    command.add("--target_class=" + target.getName());
    command.add(
        "--instrumentation_includes=io.forebay.core.http.**:io.forebay.server.listen.**"
            + ":io.forebay.server.origin.**:io.netty.handler.codec.http.**");
    command.add("--reproducer_path=" + directory);
    command.addAll(List.of("-max_len=600", "-timeout=120", "-dict=" + words));
    command.add("-artifact_prefix=" + directory + "/");
    command.addAll(options);
    command.add(corpus.toString());
    Path output = directory.resolve("output");
    Process fuzzer =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .directory(directory.toFile())
            .start();
    int code = fuzzer.waitFor();
    String said = Files.readString(output, StandardCharsets.ISO_8859_1);
    assertTrue(said.contains("INITED") || code != 0, said);
    return code == 0 ? "" : finding(said);
  }

  private static String finding(String said) throws IOException {
    int at = Math.max(said.indexOf("== Java"), said.indexOf("ERROR: libFuzzer"));
    return at < 0 ? said : said.substring(at);
  }

  private static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }
}
