package io.forebay.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The structure of the lab that docs/LAB.md shows. */
final class ArchitectureTest {
  private static final String ROOT = "io.forebay.lab.";

  /**
   * From top to bottom; a layer knows those in later lines, and its own as long as none circles.
   */
  private static final List<List<String>> LAYERS =
      List.of(
          List.of("command"),
          List.of("report", "compare", "run", "model"),
          List.of("target", "load", "load.client", "host", "origin"),
          List.of("scenario"),
          List.of("body"),
          List.of("result"));

  /** By child processes by name, or as a type of a method that another package may call. */
  private static final Set<String> USED_UNSEEN =
      Set.of(
          "io.forebay.lab.command.LabCommand",
          "io.forebay.lab.load.LatencyHistogram",
          "io.forebay.lab.origin.OriginStats");

  private static final JavaClasses WITH_TESTS = compiled();
  private static final JavaClasses CLASSES =
      WITH_TESTS.that(
          DescribedPredicate.describe(
              "are no tests",
              one ->
                  one.getSource().stream()
                      .noneMatch(source -> source.getUri().getPath().contains("/test-classes/"))));

  /** What Maven has compiled. Of libraries names are enough. */
  private static JavaClasses compiled() {
    ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false);
    return new ClassFileImporter()
        .importPaths(Path.of("target", "classes"), Path.of("target", "test-classes"));
  }

  @Test
  void packagesFormNoCircle() {
    SlicesRuleDefinition.slices().matching(ROOT + "(**)").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void eachLayerKnowsOnlyThoseBelow() {
    Set<String> wrong = new TreeSet<>();
    for (JavaClass from : CLASSES) {
      int own = layer(from.getPackageName());
      if (own < 0 && from.getPackageName().startsWith(ROOT)) {
        wrong.add(from.getPackageName() + " has no layer: name its line in LAYERS");
      }
      for (Dependency dependency : from.getDirectDependenciesFromSelf()) {
        String to = dependency.getTargetClass().getBaseComponentType().getPackageName();
        if (own >= 0 && layer(to) >= 0 && layer(to) < own) {
          wrong.add(from.getName() + " uses " + to + " above it");
        }
      }
    }
    assertEquals(Set.of(), wrong);
  }

  private static int layer(String name) {
    for (int i = 0; i < LAYERS.size(); i++) {
      for (String of : LAYERS.get(i)) {
        if (name.equals(ROOT + of)) {
          return i;
        }
      }
    }
    return -1;
  }

  /** The edge is used as a program only: what is measured is what users run. */
  @Test
  void theLabKnowsNothingOfTheEdge() {
    ArchRuleDefinition.noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.forebay.core..",
            "io.forebay.storage..",
            "io.forebay.server..",
            "io.forebay.cli..",
            "io.forebay.plugin..")
        .check(CLASSES);
  }

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
    Set<String> unused = new TreeSet<>();
    try (Stream<JavaClass> classes = CLASSES.stream()) {
      classes
          .filter(one -> one.isTopLevelClass())
          .filter(one -> one.getModifiers().contains(JavaModifier.PUBLIC))
          .map(JavaClass::getFullName)
          .filter(name -> !used.contains(name) && !USED_UNSEEN.contains(name))
          .forEach(unused::add);
    }
    assertTrue(used.size() > 10, "classes that another package uses: " + used.size());
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
