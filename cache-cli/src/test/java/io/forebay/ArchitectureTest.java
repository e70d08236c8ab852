package io.forebay;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.resolvers.SelectedClassResolverFromClasspath;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The structure that docs/ARCHITECTURE.md describes: no circle between packages, each layer knows
 * only those below it, and a class is public only where another package uses it.
 */
@Tag("slow")
class ArchitectureTest {

  private static final JavaClasses WITH_TESTS = compiled();
  private static final JavaClasses CLASSES =
      WITH_TESTS.that(
          DescribedPredicate.describe(
              "are no tests",
              one ->
                  one.getSource().stream()
                      .noneMatch(source -> source.getUri().getPath().contains("/test-classes/"))));

  /**
   * What Maven has compiled of the modules up to this one. Of libraries names are enough; of the
   * JDK it is read what is a thread.
   */
  private static JavaClasses compiled() {
    ArchConfiguration.get().setClassResolver(SelectedClassResolverFromClasspath.class);
    ArchConfiguration.get().setClassResolverArguments("java.lang", "java.util.concurrent");
    return new ClassFileImporter()
        .importPaths(
            Stream.of("cache-core", "cache-storage", "cache-server", "cache-cli")
                .flatMap(module ->
                    Stream.of("classes", "test-classes")
                        .map(kind -> Path.of("..", module, "target", kind)))
                .toList());
  }

  /**
   * Layers of the server from top to bottom. A layer may use those in later lines, and packages of
   * its own line as long as no circle arises.
   */
  private static final List<List<String>> SERVER_LAYERS =
      List.of(
          List.of("io.forebay.server"),
          List.of("handover"),
          List.of("admin", "admin.report", "warm", "metric", "listen", "listen.peer"),
          List.of("node"),
          List.of("explain"),
          List.of("exchange"),
          List.of("listen.http1", "listen.http2", "listen.http3", "listen.connection"),
          List.of(
              "cluster",
              "cluster.etcd",
              "cluster.member",
              "cluster.peer",
              "cluster.purge",
              "cluster.fleet"),
          List.of("compress.copy", "compress.dictionary", "esi"),
          List.of("fill", "fill.history", "deliver", "response", "purge"),
          List.of("peer"),
          List.of("origin.hedge", "origin.mirror", "origin.resume"),
          List.of(
              "origin",
              "origin.dns",
              "origin.files",
              "origin.group",
              "origin.tls",
              "runtime",
              "accesslog",
              "tls",
              "tls.acme",
              "tls.ocsp",
              "drive"),
          List.of(
              "origin.balance",
              "origin.drain",
              "origin.health",
              "origin.limit",
              "origin.http2",
              "origin.probe",
              "origin.proxy",
              "origin.sign",
              "fairness",
              "protect",
              "protect.auth",
              "protect.forward",
              "protect.rate",
              "protect.token",
              "protect.url"),
          List.of("origin.call"),
          List.of("http"),
          List.of("tunnel"),
          List.of("loop"),
          List.of("audit"),
          List.of("logsink", "ring"),
          List.of(
              "cmcd",
              "counters",
              "compress",
              "config",
              "config.history",
              "digest",
              "geo",
              "hint",
              "json",
              "jwt",
              "media",
              "network",
              "pacing",
              "page",
              "plugin",
              "prefetch",
              "rule",
              "rule.expression",
              "systemd",
              "text"));

  @Test
  void packagesFormNoCircle() {
    SlicesRuleDefinition.slices()
        .matching("io.forebay.(**)")
        .should()
        .beFreeOfCycles()
        .check(CLASSES);
  }

  @Test
  void listenersKnowTheContractAndNeverTheExchange() {
    noClasses()
        .that()
        .resideInAPackage("io.forebay.server.listen..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.forebay.server.exchange..",
            "io.forebay.server.fill..",
            "io.forebay.server.origin..",
            "io.forebay.server.admin..")
        .check(CLASSES);
  }

  @Test
  void eachLayerOfTheServerKnowsOnlyThoseBelow() {
    Set<String> upwards = new TreeSet<>();
    for (JavaClass from : CLASSES) {
      int own = layer(from.getPackageName());
      for (Dependency dependency : from.getDirectDependenciesFromSelf()) {
        String to = dependency.getTargetClass().getBaseComponentType().getPackageName();
        int its = layer(to);
        if (own >= 0 && its >= 0 && its < own) {
          upwards.add(from.getPackageName() + " uses " + to + " above it: " + from.getSimpleName());
        }
      }
    }
    assertEquals(Set.of(), upwards);
  }

  @Test
  void everyPackageOfTheServerHasALayer() {
    Set<String> homeless = new TreeSet<>();
    for (JavaClass from : CLASSES) {
      String name = from.getPackageName();
      if (name.startsWith("io.forebay.server") && layer(name) < 0) {
        homeless.add(name);
      }
    }
    assertEquals(Set.of(), homeless, "name its line in SERVER_LAYERS");
  }

  private static int layer(String name) {
    for (int i = 0; i < SERVER_LAYERS.size(); i++) {
      for (String of : SERVER_LAYERS.get(i)) {
        if (name.equals(of) || name.equals("io.forebay.server." + of)) {
          return i;
        }
      }
    }
    return -1;
  }

  @Test
  void onlySignaturesKnowTheAwsSdk() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.forebay.server.origin.sign")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("software.amazon..")
        .check(CLASSES);
  }

  /** Whatever else names one of their classes would load them where nothing is compressed. */
  @Test
  void onlyCodecsKnowTheLibrariesOfCodings() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.forebay.server.compress")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("com.aayushatharva.brotli4j..", "com.github.luben.zstd..")
        .check(CLASSES);
  }

  /** Whatever else names one of its classes would load it without an expression. */
  @Test
  void onlyTheCompilerOfExpressionsKnowsCel() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.forebay.server.rule.expression")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.cel..", "com.google.protobuf..", "org.antlr..")
        .check(CLASSES);
  }

  /** What plugins are compiled against is all that they need. */
  @Test
  void theApiOfPluginsKnowsTheJdkAlone() {
    JavaClasses api =
        new ClassFileImporter().importPath(Path.of("..", "plugin-api", "target", "classes"));
    assertTrue(api.size() > 20, "classes of the API: " + api.size());
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideOutsideOfPackages("io.forebay.plugin..", "java..", "org.jspecify..")
        .check(api);
    noClasses()
        .that()
        .resideInAPackage("io.forebay.plugin")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.forebay.plugin.test")
        .check(api);
  }

  @Test
  void onlyPluginsAndTheBinderOfTheirConfigurationKnowTheApiOfPlugins() {
    noClasses()
        .that()
        .resideOutsideOfPackages("io.forebay.server.plugin", "io.forebay.server.config")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.forebay.plugin..")
        .check(CLASSES);
  }

  @Test
  void coreKnowsNothingButTheJdkAndStructuredFields() {
    noClasses()
        .that()
        .resideInAPackage("io.forebay.core..")
        .should()
        .dependOnClassesThat()
        .resideOutsideOfPackages(
            "io.forebay.core..", "java..", "org.greenbytes.http.sfv..", "org.jspecify..")
        .check(CLASSES);
  }

  @Test
  void coreTouchesNeitherFilesNorThreads() {
    noClasses()
        .that()
        .resideInAPackage("io.forebay.core..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.io..", "java.nio.file..", "java.nio.channels..", "java.net..")
        .orShould()
        .dependOnClassesThat()
        .areAssignableTo(Thread.class)
        .check(CLASSES);
  }

  @Test
  void coreReadsNoClock() {
    noClasses()
        .that()
        .resideInAPackage("io.forebay.core..")
        .should()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(System.class, "nanoTime")
        .check(CLASSES);
  }

  /** Durations of one's own work may be measured in place; decisions by time may not. */
  @Test
  void theWallClockIsPassedIn() {
    noClasses()
        .that()
        .resideInAnyPackage("io.forebay.storage..", "io.forebay.server..")
        .and()
        .doNotHaveFullyQualifiedName("io.forebay.server.Server")
        .should()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(java.time.Instant.class, "now")
        .check(CLASSES);
  }

  @Test
  void storageKnowsNeitherHttpNorNetty() {
    noClasses()
        .that()
        .resideInAPackage("io.forebay.storage..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.netty..", "io.forebay.core..", "io.forebay.server..")
        .check(CLASSES);
  }

  @Test
  void onlyStorageMapsFilesAndOpensArenas() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "io.forebay.core..", "io.forebay.server..", "io.forebay.cli..", "io.forebay.storage..")
        .and()
        .resideOutsideOfPackage("io.forebay.storage.memory..")
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.lang.foreign.Arena")
        .orShould()
        .callMethod(
            java.nio.channels.FileChannel.class,
            "map",
            java.nio.channels.FileChannel.MapMode.class,
            long.class,
            long.class)
        .check(CLASSES);
  }

  @Test
  void nothingPastTheListenerKnowsTheHttpVersion() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "io.forebay.server.exchange..",
            "io.forebay.server.fill..",
            "io.forebay.server.deliver..",
            "io.forebay.server.response..",
            "io.forebay.server.explain..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.netty.handler.codec..")
        .check(CLASSES);
  }

  /**
   * Used where this test can't see it: by the launcher through reflection, by the benchmarks, as
   * constants that the compiler copies, or through an interface that extends it.
   */
  private static final Set<String> USED_UNSEEN =
      Set.of(
          "io.forebay.launch.Main",
          "io.forebay.cli.Forebay",
          "io.forebay.cli.console.ExitCode",
          "io.forebay.core.key.SipHash128",
          "io.forebay.server.exchange.PartialBody",
          "io.forebay.server.node.NodeQueries",
          "io.forebay.storage.evict.TierModel",
          "io.forebay.storage.layout.DeviceHeader",
          "io.forebay.storage.layout.WriteHistoryPage");

  @Test
  void aClassIsPublicOnlyWhereAnotherPackageUsesIt() {
    Set<String> used =
        WITH_TESTS.stream()
            .flatMap(from -> from.getDirectDependenciesFromSelf().stream())
            .filter(dependency ->
                !dependency
                    .getOriginClass()
                    .getPackageName()
                    .equals(dependency.getTargetClass().getBaseComponentType().getPackageName()))
            .map(dependency -> topLevel(dependency.getTargetClass().getBaseComponentType()))
            .collect(Collectors.toSet());
    assertTrue(used.size() > 200, "classes that another package uses: " + used.size());
    Set<String> unused = new TreeSet<>();
    for (JavaClass one : CLASSES) {
      if (one.isTopLevelClass()
          && one.getModifiers().contains(JavaModifier.PUBLIC)
          && one.getPackageName().startsWith("io.forebay")
          && !used.contains(one.getFullName())
          && !USED_UNSEEN.contains(one.getFullName())) {
        unused.add(one.getFullName());
      }
    }
    assertEquals(Set.of(), unused, "make it package-private");
  }

  private static String topLevel(JavaClass of) {
    JavaClass top = of;
    while (top.getEnclosingClass().isPresent()) {
      top = top.getEnclosingClass().get();
    }
    return top.getFullName();
  }
}
