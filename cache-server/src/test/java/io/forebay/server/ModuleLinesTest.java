package io.forebay.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The lines between the modules, and the few between packages, that must not be crossed. */
@Tag("slow")
class ModuleLinesTest {

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.forebay");

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
  void theClockIsPassedIntoCoreAndStorage() {
    noClasses()
        .that()
        .resideInAPackage("io.forebay.core..")
        .should()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(System.class, "nanoTime")
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
  void onlyStorageMemoryMapsFilesAndOpensArenas() {
    noClasses()
        .that()
        .resideInAPackage("io.forebay..")
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
            "io.forebay.server.deliver..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.netty.handler.codec..")
        .check(CLASSES);
  }
}
