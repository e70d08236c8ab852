package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.console.Output;
import io.forebay.testing.Commands;
import io.forebay.testing.Jar;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The surface of the packaged jar: versions, help, usage errors, configuration. */
final class CommandLineIT {

  @Test
  void namesTheFourVersions() throws Exception {
    Commands.Finished ended = Jar.with().run("--version");

    assertEquals("", ended.err());
    assertEquals(0, ended.exit());
    List<String> lines = ended.out().lines().toList();
    assertEquals(4, lines.size(), ended.out());
    assertTrue(lines.get(0).matches("forebay +\\d+\\.\\d+\\.\\d+"), lines.get(0));
    assertTrue(lines.get(1).matches("netty +4\\.2\\..+"), lines.get(1));
    assertTrue(lines.get(2).matches("tls +BoringSSL of netty-tcnative 2\\..+"), lines.get(2));
    assertTrue(lines.get(3).matches("java +25.*"), lines.get(3));
  }

  @Test
  void versionsAreOneJsonObject() throws Exception {
    Commands.Finished ended = Jar.quick().run("--version", "--json");

    JsonNode versions = Output.mapper().readTree(ended.out());
    assertEquals(List.of("forebay", "netty", "tls", "java"), List.copyOf(versions.propertyNames()));
  }

  @Test
  void unknownFlagIsOneLineAndCode2() throws Exception {
    Commands.Finished ended = Jar.quick().run("serve", "--lisen", "127.0.0.1:8080");

    assertEquals(2, ended.exit());
    assertEquals("", ended.out());
    assertEquals(1, ended.errLines().size(), ended.err());
    assertTrue(ended.err().contains("'--lisen'"), ended.err());
    assertTrue(ended.err().contains("did you mean --listen?"), ended.err());
    assertTrue(ended.err().contains("forebay serve --help"), ended.err());
  }

  /** The log of the node that runs it does not stand between the results. */
  @Tag("full")
  @Test
  void expectationsOfAConfigurationAreALineEach() throws Exception {
    Commands.Finished ended =
        Jar.quick().run("config", "test", "../examples/tests/wordpress.yaml", "--no-color");

    assertEquals(0, ended.exit(), ended.err());
    assertEquals("", ended.err());
    assertEquals(
        "good: ../examples/tests/wordpress.yaml: 8 of 8 steps as expected", ended.out().strip());
  }

  /** In a directory without a configuration it compares the machine with the defaults. */
  @Test
  void doctorNeedsNoConfiguration() throws Exception {
    Commands.Finished ended = Jar.quick().run("doctor", "--json", "--admin", "127.0.0.1:0");

    assertEquals("", ended.err());
    JsonNode json = Output.mapper().readTree(ended.out());
    assertEquals(json.path("errors").asInt(-1) == 0 ? 0 : 1, ended.exit(), ended.out());
    assertEquals("configuration", json.path("checks").path(0).path("check").asString(""));
    assertTrue(json.path("checks").size() >= 20, ended.out());
  }

  @Test
  void ourOwnVariablesAreNoUnknownKeys() throws Exception {
    Commands.Finished ended =
        Jar.quick()
            .env("FOREBAY_ADMIN_URL", "http://127.0.0.1:1")
            .env("FOREBAY_LOG_LEVEL", "warn")
            .env("FOREBAY_STORE_MEMROY", "1GiB")
            .run("config", "check", "--origin", "http://127.0.0.1:9000");

    assertEquals(0, ended.exit());
    assertEquals(1, ended.errLines().size(), ended.err());
    assertTrue(ended.err().contains("FOREBAY_STORE_MEMROY"), ended.err());
  }

  @Test
  void theJarCarriesNativesOfLinuxAloneAndTheLicencesOfWhatItHolds() throws Exception {
    try (var jar = new java.util.jar.JarFile(Jar.file().toFile())) {
      List<String> names = jar.stream().map(java.util.jar.JarEntry::getName).toList();
      List<String> natives =
          names.stream().filter(name -> name.matches(".*\\.(so|dll|jnilib|dylib|a)")).toList();
      assertTrue(natives.contains("META-INF/native/libnetty_tcnative_linux_x86_64.so"));
      assertTrue(natives.contains("META-INF/native/libnetty_transport_native_epoll_aarch_64.so"));
      natives.forEach(
          name -> assertTrue(name.matches("(?i).*(linux|epoll).*") && isOurs(name), name));
      assertTrue(names.contains("META-INF/LICENSE"));
      assertTrue(names.contains("META-INF/NOTICE"));
      assertTrue(names.contains("META-INF/license/LICENSE.boringssl.txt"));
      assertFalse(names.stream().anyMatch(name -> name.endsWith("module-info.class")));
      assertFalse(names.stream().anyMatch(name -> name.matches("META-INF/.*\\.(SF|RSA|DSA)")));
    }
  }

  private static boolean isOurs(String name) {
    return name.matches(".*(x86[_-]64|amd64|aarch_?64).*");
  }
}
