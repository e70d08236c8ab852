package io.forebay.cli.doctor;

import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * The JVM.
 *
 * @param arguments of its command line
 * @param isJdk whether it has the compiler that the index needs
 */
record JvmFacts(int feature, String version, boolean isJdk, List<String> arguments) {

  JvmFacts {
    arguments = List.copyOf(arguments);
  }

  /** The one that runs this. */
  static JvmFacts here() {
    return new JvmFacts(
        Runtime.version().feature(),
        Runtime.version() + ", " + System.getProperty("java.vm.name"),
        ModuleLayer.boot().findModule("jdk.compiler").isPresent(),
        ManagementFactory.getRuntimeMXBean().getInputArguments());
  }
}
