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
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** The promises of the image and of the lab of containers, where Docker is not available. */
final class ContainerFilesTest {
  private static final Path DOCKER = ComposeFiles.FOLDER;

  /** A version of three numbers, or of two with a suffix; never a name that moves. */
  private static final Pattern PINNED =
      Pattern.compile("[a-z/.-]+:v?[0-9]+(\\.[0-9]+){1,2}([_.-][a-z0-9_.-]+)?");

  private static final String LAB = "compose.yaml";
  private static final String CLUSTER = "compose.cluster.yaml";

  private static ComposeFiles compose;
  private static ComposeFiles cluster;

  @TempDir private Path directory;

  @BeforeAll
  static void read() throws Exception {
    compose = ComposeFiles.read(LAB);
    cluster = ComposeFiles.read(CLUSTER);
  }

  private interface Check {
    void run(String name, Service service);
  }

  /** Of both files. */
  private static void forEachService(Check check) {
    compose.services().forEach(check::run);
    cluster.services().forEach((name, service) -> check.run("cluster: " + name, service));
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
      assertFalse(text(LAB).contains(word), word);
      assertFalse(text(CLUSTER).contains(word), word);
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
    for (ComposeFiles file : List.of(compose, cluster)) {
      file.services()
          .forEach((name, service) ->
              service
                  .dependencies()
                  .forEach((other, condition) -> {
                    Service needed = file.services().get(other);
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
  }

  @Test
  void imagesHaveExactVersionsOrAreBuilt() throws IOException {
    forEachService((name, service) -> {
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
    forEachService((name, service) -> {
      assertTrue(service.value("read_only").asBoolean(false), name);
      assertEquals(List.of("ALL"), service.list("cap_drop"), name);
      assertEquals(List.of("no-new-privileges:true"), service.list("security_opt"), name);
      if (service.own().has("cap_add")) {
        assertTrue(Set.of("memory", "secrets").contains(name.replace("cluster: ", "")), name);
        assertEquals("none", service.value("network_mode").asString(""), name);
      }
    });
  }

  @Test
  void portsAreOnLoopbackAndEachIsTakenOnce() {
    List<String> taken = new ArrayList<>();
    forEachService((name, service) -> {
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
    TreeSet<String> unused = new TreeSet<>(environment.keySet());
    for (ComposeFiles file : List.of(compose, cluster)) {
      file.defaults()
          .forEach((name, values) ->
              assertEquals(Set.of(environment.getOrDefault(name, "not in .env")), values, name));
      unused.removeAll(file.defaults().keySet());
    }
    assertEquals(Set.of("COMPOSE_PROFILES", "COMPOSE_PROJECT_NAME"), unused);
  }

  @Test
  void whatIsMountedExists() {
    int mounted = 0;
    List<Service> services = new ArrayList<>(compose.services().values());
    services.addAll(cluster.services().values());
    for (Service service : services) {
      for (String volume : service.list("volumes")) {
        if (volume.startsWith(".")) {
          Path source = DOCKER.resolve(volume.substring(0, volume.indexOf(':')));
          assertTrue(Files.exists(source), source.toString());
          assertTrue(volume.endsWith(":ro"), volume);
          mounted++;
        }
      }
    }
    assertTrue(mounted > 20, mounted + " mounts");
  }

  static List<Path> configurations() throws IOException {
    try (Stream<Path> files = Files.list(DOCKER.resolve("config"))) {
      return files.sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("configurations")
  void aConfigurationIsAcceptedWithoutAWarningAndMounted(Path configuration) throws IOException {
    for (String name :
        List.of(
            "certificate.pem",
            "key.pem",
            "cluster-ca.pem",
            "edge-1.pem",
            "edge-1.key",
            "hub.pem",
            "hub.key")) {
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
    assertTrue(
        (text(LAB) + text(CLUSTER)).contains("./config/" + configuration.getFileName() + ":"));
  }

  @Test
  void edgesHaveDirectoriesOfTheirOwn() {
    List<String> directories = new ArrayList<>(directories(compose));
    directories.addAll(directories(cluster));
    assertEquals(16 + 12, directories.size());
    assertEquals(directories.size(), Set.copyOf(directories).size(), directories::toString);
  }

  /** Where edges have their memory and their data. */
  private static List<String> directories(ComposeFiles file) {
    List<String> directories = new ArrayList<>();
    String made = file.service("memory").list("command").getFirst();
    file.services()
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
    return directories;
  }

  @Test
  void theClusterHasThreeMembersOfEtcdFiveEdgesInTwoGroupsAndAShield() throws IOException {
    Map<String, List<String>> groups = new TreeMap<>();
    List<String> nodes = new ArrayList<>();
    List<String> members = new ArrayList<>();
    cluster
        .services()
        .forEach((name, service) -> {
          if (service.isEdge()) {
            nodes.add(name);
            JsonNode set = service.own().path("environment");
            groups
                .computeIfAbsent(set.path("GROUP").asString("hub"), group -> new ArrayList<>())
                .add(name);
            assertEquals(
                name.equals("hub") ? "" : name, set.path("NODE").asString(""), "its own name");
          } else if (name.startsWith("etcd-")) {
            members.add(name + "=http://" + name + ":2380");
            assertTrue(service.list("command").contains("--name=" + name), name);
            assertTrue(
                service
                    .list("command")
                    .contains("--advertise-client-urls=http://" + name + ":2379"),
                name);
          }
        });
    assertEquals(
        Map.of(
            "fra",
            List.of("edge-1", "edge-2", "edge-3"),
            "ams",
            List.of("edge-4", "edge-5"),
            "hub",
            List.of("hub")),
        groups);
    assertEquals(3, members.size());
    for (String member : List.of("etcd-1", "etcd-2", "etcd-3")) {
      assertTrue(
          cluster
              .service(member)
              .list("command")
              .contains("--initial-cluster=" + String.join(",", members)),
          member);
      assertTrue(text("config/cluster-edge.yaml").contains("http://" + member + ":2379"));
      assertTrue(text("config/cluster-hub.yaml").contains("http://" + member + ":2379"));
    }
    assertEquals(nodes, cluster.service("secrets").list("command"), "each has a certificate");
    String load = cluster.service("load").own().path("environment").path("TARGET").asString();
    assertEquals(5, load.split(" ").length);
    nodes.stream()
        .filter(node -> !node.equals("hub"))
        .forEach(node -> assertTrue(load.contains("http://" + node + ":8080"), node));
  }

  /** Commands of blocks and tables. */
  private static List<String> commands(String readme) {
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

  /** The section of the cluster names its file once, for all of its commands. */
  @Test
  void commandsOfTheReadmeNameWhatThereIs() throws IOException {
    String readme = text("README.md");
    int begin = readme.indexOf("\n## A cluster\n");
    int end = readme.indexOf("\n## ", begin + 1);
    String ofCluster = readme.substring(begin, end);
    assertTrue(ofCluster.contains("export COMPOSE_FILE=" + CLUSTER), ofCluster);
    assertTrue(check(cluster, ofCluster) >= 8);
    assertTrue(check(compose, readme.substring(0, begin) + readme.substring(end)) >= 15);
  }

  /** How many commands there are. */
  private static int check(ComposeFiles file, String readme) {
    int checked = 0;
    for (String command : commands(readme)) {
      int begin = command.indexOf("docker compose ");
      if (begin >= 0) {
        checkCommand(file, command.substring(begin + "docker compose ".length()));
        checked++;
      }
    }
    return checked;
  }

  private static void checkCommand(ComposeFiles file, String command) {
    List<String> words =
        new ArrayList<>(Arrays.asList(command.replaceFirst(" +>.*", "").split(" +", -1)));
    while (words.getFirst().startsWith("-")) {
      String option = words.removeFirst();
      String value = words.removeFirst();
      assertTrue(
          option.equals("-f")
              ? Files.exists(DOCKER.resolve(value))
              : option.equals("--profile") && file.profiles().contains(value),
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
      assertTrue(file.services().containsKey(words.removeFirst()), command);
    }
    if (verb.equals("exec") && words.getFirst().equals("forebay")) {
      String[] rest = words.subList(1, words.size()).toArray(String[]::new);
      assertNotNull(Forebay.commandLine().parseArgs(rest).subcommand(), command);
    }
  }
}
