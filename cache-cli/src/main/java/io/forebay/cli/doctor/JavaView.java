package io.forebay.cli.doctor;

import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * The JVM.
 *
 * @param arguments of its command line
 * @param isJdk whether it has the compiler that the index needs
 */
record JavaView(int feature, String version, boolean isJdk, List<String> arguments) {

  JavaView {
    arguments = List.copyOf(arguments);
  }

  /** The one that runs this. */
  static JavaView here() {
    return new JavaView(
        Runtime.version().feature(),
        Runtime.version() + ", " + System.getProperty("java.vm.name"),
        ModuleLayer.boot().findModule("jdk.compiler").isPresent(),
        ManagementFactory.getRuntimeMXBean().getInputArguments());
  }
}
