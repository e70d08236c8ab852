package io.forebay.core.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.fuzz.FuzzTarget.Parser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs Jazzer as a separate program on {@link FuzzTarget}. The output of a failed test contains the
 * finding, as text and in Base64.
 */
@Tag("slow")
final class FuzzTest {

  /** To begin with: each parser's own language. */
  private static final List<String> SEEDS =
      List.of(
          "max-age=60, s-maxage=\"5\", no-cache=\"a, b\", stale-while-revalidate=1",
          "max-age=60;a=b, private, no-store=?0, x=(1 2)",
          "bytes=0-1, 5-, -7",
          "\"a\", W/\"b\", *",
          "Thu, 01 Jan 2015 00:00:00 GMT",
          "Thursday, 01-Jan-15 00:00:00 GMT",
          "gzip;q=0.5, br, *;q=0, identity",
          "de-CH, de;q=0.9, *;q=0.1",
          "kind=a; other=\"b\"; _ga=1",
          "key-order, params=(\"a\" \"b\"), except=(\"c\")",
          "\"a\", \"b c\"",
          "edge;a=\"b,c\", other",
          "websocket, h2c",
          "/a/../b/%7e%2f?x=1&utm_y=2",
          "http://a.example:80/b?c",
          "[::1]:8080",
          "name: value\r\nother: value\r\n");

  @TempDir Path directory;

  @Tag("full")
  @Test
  void nothingThatComesFromOutsideBreaksAParser() throws Exception {
    assertEquals("", findings(FuzzTarget.class, List.of("-runs=25000")));
  }

  @Test
  @Tag("campaign")
  void nothingThatComesFromOutsideBreaksAParserForLong() throws Exception {
    assertEquals("", findings(FuzzTarget.class, List.of("-max_total_time=1200")));
  }

  /** A parser that breaks is found, or the other tests here mean nothing. */
  @Tag("full")
  @Test
  void aParserThatBreaksIsFound() throws Exception {
    assertNotEquals("", findings(Broken.class, List.of("-runs=25000")));
  }

  /** Breaks on a directive that no seed holds. */
  public static final class Broken {
    private Broken() {}

    public static void fuzzerTestOneInput(byte[] data) {
      FuzzTarget.fuzzerTestOneInput(data);
      if (new String(data, StandardCharsets.ISO_8859_1).contains("no-store=7")) {
        throw new IllegalStateException("no-store=7");
      }
    }
  }

  /**
   * A quarter of a megabyte of separators is many times what any listener lets through: who looks
   * at all of it once for each byte is not done within the time.
   */
  @ParameterizedTest
  @EnumSource(Parser.class)
  void aParserTakesTimeInProportionToItsText(Parser parser) {
    boolean hasFields = parser == Parser.RESPONSE || parser == Parser.REQUEST;
    for (String separator : List.of(",", ";", "\"", " ", "=", "/", "%", "(", ":", "a,")) {
      for (int field = 0; field < (hasFields ? 24 : 1); field++) {
        String text = (char) field + separator.repeat((1 << 18) / separator.length());
        assertTimeoutPreemptively(
            Duration.ofSeconds(30), () -> parser.check(text), separator + " in field " + field);
      }
    }
  }

  /** What Jazzer says of its findings; empty where it has none. */
  private String findings(Class<?> target, List<String> options) throws Exception {
    Path corpus = Files.createDirectories(directory.resolve("corpus"));
    for (Parser parser : Parser.values()) {
      for (int i = 0; i < SEEDS.size(); i++) {
        Files.writeString(
            corpus.resolve(parser + "-" + i),
            (char) parser.ordinal() + "" + (char) (i % 23) + SEEDS.get(i),
            StandardCharsets.ISO_8859_1);
      }
    }
    List<String> command = new ArrayList<>();
    command.add(Objects.requireNonNull(ProcessHandle.current().info().command().orElse("java")));
    command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"));
    command.addAll(List.of("-XX:+EnableDynamicAgentLoading", "-cp", classPath()));
    command.add("com.code_intelligence.jazzer.Jazzer");
    command.add("--target_class=" + target.getName());
    command.add("--instrumentation_includes=io.forebay.core.**");
    command.add("--reproducer_path=" + directory);
    // The first input loads and instruments all classes, which on a busy machine takes a while.
    command.addAll(List.of("-max_len=600", "-timeout=120", "-artifact_prefix=" + directory + "/"));
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
    assertTrue(said.contains("INITED"), said);
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
