package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.ComposeFiles.Service;
import io.forebay.server.config.ConfigEnvironment;
import io.forebay.server.config.ConfigLoader;
import io.forebay.server.config.ConfigOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The promises of the image and of the lab of containers, where Docker is not available. */
final class ContainerFilesTest {
  private static final Path DOCKER = ComposeFiles.FOLDER;

  /** A version of three numbers, or of two with a suffix; never a name that moves. */
  private static final Pattern PINNED =
      Pattern.compile("[a-z/-]+:v?[0-9]+(\\.[0-9]+){1,2}([_.-][a-z0-9_.-]+)?");

  private static ComposeFiles compose;

  @TempDir private Path directory;

  @BeforeAll
  static void read() throws Exception {
    compose = ComposeFiles.read();
  }

  private static String text(String name) throws IOException {
    return Files.readString(DOCKER.resolve(name));
  }

  @Test
  void theImageExposesThePortOfHttp3() throws IOException {
    assertTrue(text("Dockerfile").lines().anyMatch("EXPOSE 8080 8443 8443/udp 8081"::equals));
  }

  @Test
  void limitsOfTheKernelAreRaisedOnRequestOnly() throws IOException {
    for (String word : List.of("ulimits", "memlock", "nofile", "sysctls", "privileged:")) {
      assertFalse(text("compose.yaml").contains(word), word);
      assertFalse(text("edge.yaml").contains(word), word);
    }
    assertTrue(text("compose.memlock.yaml").contains("memlock: -1"));
  }

  @Test
  void theReadmeHasEveryProfile() throws IOException {
    TreeSet<String> shown = new TreeSet<>();
    for (MatchResult row :
        Pattern.compile("(?m)^\\| `([a-z-]+)` \\|").matcher(text("README.md")).results().toList()) {
      shown.add(row.group(1));
    }

    assertEquals(compose.profiles(), shown);
    assertEquals(
        Set.of(
            "one",
            "obs",
            "load",
            "tls",
            "per-socket",
            "shield",
            "live",
            "faulty",
            "peers",
            "attack"),
        shown);
  }

  @Test
  void upWithoutAProfileStartsAnEdge() throws Exception {
    String profile = ComposeFiles.environment().get("COMPOSE_PROFILES");

    assertEquals("one", profile);
    compose
        .services()
        .forEach((name, service) ->
            assertFalse(service.profiles().isEmpty(), () -> name + " runs in every profile"));
    assertTrue(compose.service("edge").profiles().contains(profile));
  }

  @Test
  void whatAServiceDependsOnIsThereInAllItsProfiles() {
    compose
        .services()
        .forEach((name, service) ->
            service
                .dependencies()
                .forEach((other, condition) -> {
                  Service needed = compose.services().get(other);
                  assertNotNull(needed, () -> name + " depends on " + other);
                  assertTrue(
                      needed.profiles().containsAll(service.profiles()),
                      () -> name + " has profiles that " + other + " has not");
                  assertTrue(
                      !condition.equals("service_healthy")
                          || needed.own().has("healthcheck")
                          || needed.isEdge(),
                      () -> name + " waits for the health of " + other + ", which has no check");
                }));
  }

  @Test
  void imagesHaveExactVersionsOrAreBuilt() throws IOException {
    compose
        .services()
        .forEach((name, service) -> {
          String image = ComposeFiles.withDefaults(service.value("image").asString());
          if (service.value("build").isMissingNode()) {
            assertTrue(PINNED.matcher(image).matches(), () -> name + ": " + image);
          } else {
            assertTrue(image.endsWith(":dev"), () -> name + ": " + image);
            service
                .value("build")
                .path("args")
                .forEach(base -> {
                  String value = ComposeFiles.withDefaults(base.asString());
                  assertTrue(PINNED.matcher(value).matches(), () -> name + ": " + value);
                });
          }
        });
    try (Stream<Path> files = Files.walk(DOCKER)) {
      for (Path file : files.filter(path -> path.endsWith("Dockerfile")).toList()) {
        String recipe = Files.readString(file);
        assertFalse(recipe.contains("# syntax"), file + " would pull a builder");
        MatchResult base =
            Pattern.compile("(?m)^ARG BASE=(.*)$").matcher(recipe).results().findFirst().get();
        assertTrue(PINNED.matcher(base.group(1)).matches(), file + ": " + base.group(1));
        assertTrue(recipe.contains("FROM ${BASE}"), file.toString());
      }
    }
  }

  /** So that the test above can fail. */
  @Test
  void aVersionThatMovesIsNotPinned() {
    for (String image : List.of("nginx", "nginx:latest", "nginx:1", "debian:bookworm-slim")) {
      assertFalse(PINNED.matcher(image).matches(), image);
    }
  }

  @Test
  void servicesHaveNoRightsThatTheyDoNotNeed() {
    compose
        .services()
        .forEach((name, service) -> {
          assertTrue(service.value("read_only").asBoolean(false), name);
          assertEquals(List.of("ALL"), service.list("cap_drop"), name);
          assertEquals(List.of("no-new-privileges:true"), service.list("security_opt"), name);
          if (service.own().has("cap_add")) {
            assertTrue(Set.of("memory", "secrets").contains(name), name);
            assertEquals("none", service.value("network_mode").asString(""), name);
          }
        });
  }

  @Test
  void portsAreOnLoopbackAndEachIsTakenOnce() {
    List<String> taken = new ArrayList<>();
    compose
        .services()
        .forEach((name, service) -> {
          for (String port : service.list("ports")) {
            String[] parts = ComposeFiles.withDefaults(port).split(":", -1);
            assertEquals("127.0.0.1", parts[0], name);
            taken.add(parts[1] + (parts[2].endsWith("/udp") ? "/udp" : ""));
          }
        });
    assertEquals(taken.size(), Set.copyOf(taken).size(), taken::toString);
  }

  @Test
  void theSettingsStandInOneFileWithTheSameDefaults() throws Exception {
    Map<String, String> environment = ComposeFiles.environment();
    compose
        .defaults()
        .forEach((name, values) ->
            assertEquals(Set.of(environment.getOrDefault(name, "not in .env")), values, name));
    TreeSet<String> unused = new TreeSet<>(environment.keySet());
    unused.removeAll(compose.defaults().keySet());
    assertEquals(Set.of("COMPOSE_PROFILES", "COMPOSE_PROJECT_NAME"), unused);
  }

  @Test
  void whatIsMountedExists() {
    int mounted = 0;
    for (Service service : compose.services().values()) {
      for (String volume : service.list("volumes")) {
        if (volume.startsWith(".")) {
          Path source = DOCKER.resolve(volume.substring(0, volume.indexOf(':')));
          assertTrue(Files.exists(source), source.toString());
          assertTrue(volume.endsWith(":ro"), volume);
          mounted++;
        }
      }
    }
    assertTrue(mounted > 10, mounted + " mounts");
  }

  static List<Path> configurations() throws IOException {
    try (Stream<Path> files = Files.list(DOCKER.resolve("config"))) {
      return files.sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("configurations")
  void aConfigurationIsAcceptedWithoutAWarningAndMounted(Path configuration) throws IOException {
    for (String name : List.of("certificate.pem", "key.pem")) {
      Files.createFile(directory.resolve(name));
    }
    Path file = directory.resolve("forebay.yaml");
    Files.writeString(file, Files.readString(configuration).replace("/secrets/", directory + "/"));
    ConfigEnvironment machine =
        new ConfigEnvironment(Map.of(), directory, file, directory, directory, "test");

    ConfigOutcome outcome = new ConfigLoader(machine).load(file, Map.of());

    assertEquals(
        List.of(),
        assertInstanceOf(ConfigOutcome.Loaded.class, outcome, outcome.toString()).warnings());
    assertTrue(text("compose.yaml").contains("./config/" + configuration.getFileName() + ":"));
  }

  @Test
  void edgesHaveDirectoriesOfTheirOwn() {
    List<String> directories = new ArrayList<>();
    String made = compose.service("memory").list("command").getFirst();
    compose
        .services()
        .forEach((name, service) -> {
          if (service.isEdge()) {
            String memory =
                service.own().path("environment").path("FOREBAY_STORE_MEMORY_DIRECTORY").asString();
            directories.add(memory);
            directories.add(service.list("volumes").getLast());
            String last = memory.substring(memory.lastIndexOf('/') + 1);
            assertTrue(memory.equals("/memory") || made.contains(" " + last + " "), memory);
          }
        });
    assertEquals(16, directories.size());
    assertEquals(directories.size(), Set.copyOf(directories).size(), directories::toString);
  }

  /** Commands of blocks and tables. */
  private static List<String> commands() throws IOException {
    String readme = text("README.md");
    List<String> commands = new ArrayList<>();
    for (MatchResult block :
        Pattern.compile("(?s)```sh\n(.*?)```").matcher(readme).results().toList()) {
      block.group(1).lines().forEach(line -> commands.add(line.replaceFirst("\\s+#.*", "")));
    }
    for (MatchResult row :
        Pattern.compile("(?m)^\\|.*`((?:[A-Z_]+=\\S+ )?docker compose [^`]*)`")
            .matcher(readme)
            .results()
            .toList()) {
      commands.add(row.group(1));
    }
    return commands.stream().map(String::strip).filter(line -> !line.isEmpty()).toList();
  }

  @Test
  void commandsOfTheReadmeNameWhatThereIs() throws IOException {
    int checked = 0;
    for (String command : commands()) {
      int begin = command.indexOf("docker compose ");
      if (begin >= 0) {
        check(command.substring(begin + "docker compose ".length()));
        checked++;
      }
    }
    assertTrue(checked >= 15, checked + " commands");
  }

  private static void check(String command) {
    List<String> words =
        new ArrayList<>(Arrays.asList(command.replaceFirst(" +>.*", "").split(" +", -1)));
    while (words.getFirst().startsWith("-")) {
      String option = words.removeFirst();
      String value = words.removeFirst();
      assertTrue(
          option.equals("-f")
              ? Files.exists(DOCKER.resolve(value))
              : option.equals("--profile") && compose.profiles().contains(value),
          command);
    }
    String verb = words.removeFirst();
    if (Set.of("down", "pull").contains(verb)) {
      return;
    }
    assertTrue(Set.of("up", "exec", "kill", "logs", "run").contains(verb), command);
    while (!words.isEmpty() && words.getFirst().startsWith("-")) {
      if (words.removeFirst().equals("-s")) {
        words.removeFirst();
      }
    }
    if (!words.isEmpty()) {
      assertTrue(compose.services().containsKey(words.removeFirst()), command);
    }
    if (verb.equals("exec") && words.getFirst().equals("forebay")) {
      String[] rest = words.subList(1, words.size()).toArray(String[]::new);
      assertNotNull(Forebay.commandLine().parseArgs(rest).subcommand(), command);
    }
  }
}
