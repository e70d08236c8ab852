package io.forebay.launch;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;

/**
 * The jar's main class: checks the Java version, sets what must be set before any other class
 * loads, and starts the command line. Compiled for Java 8, because a class file of a newer release
 * would fail on an older Java with a stack trace instead of a message.
 */
public final class Main {
  private static final int NEEDED_FEATURE = 25;
  private static final int EXIT_NO_RESOURCE = 69;

  private Main() {}

  public static void main(String[] args) throws Throwable {
    String specification = System.getProperty("java.specification.version", "unknown");
    if (feature(specification) < NEEDED_FEATURE) {
      System.err.println(
          tooOld(
              System.getProperty("java.version", specification),
              System.getProperty("java.home", "unknown place")));
      System.exit(EXIT_NO_RESOURCE);
    }
    // Chronicle reports its usage to a server unless told otherwise before its first class loads.
    settle("chronicle.analytics.disable", "true");
    // Netty would follow one buffer in 128, with the stack it was made on: 5 % of the loop on small
    // hits.
    settle("io.netty.leakDetection.level", "disabled");
    settleLog();
    settleUnsafeWarning();
    try {
      Class.forName("io.forebay.cli.Forebay")
          .getMethod("main", String[].class)
          .invoke(null, (Object) args);
    } catch (InvocationTargetException thrown) {
      throw thrown.getTargetException();
    }
  }

  /** The feature number of a specification version: 8 for {@code 1.8}, 17 for {@code 17}. */
  static int feature(String specification) {
    String number = specification.startsWith("1.") ? specification.substring(2) : specification;
    try {
      return Integer.parseInt(number);
    } catch (NumberFormatException unreadable) {
      return 0;
    }
  }

  static String tooOld(String version, String home) {
    return "forebay: this is Java "
        + version
        + " ("
        + home
        + "), Java "
        + NEEDED_FEATURE
        + " or newer is needed: install a JDK "
        + NEEDED_FEATURE
        + " (package temurin-25-jdk or openjdk-25-jdk-headless, or the archive from Eclipse"
        + " Adoptium) and start with its bin/java, or with ./forebay, which finds it";
  }

  /** One line an event to standard error, with the time; libraries only when something is amiss. */
  private static void settleLog() {
    String prefix = "org.slf4j.simpleLogger.";
    String level = System.getenv("FOREBAY_LOG_LEVEL");
    settle(prefix + "defaultLogLevel", level == null ? "info" : level);
    settle(prefix + "log.io.netty", "warn");
    settle(prefix + "log.net.openhft", "warn");
    settle(prefix + "showDateTime", "true");
    settle(prefix + "dateTimeFormat", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX");
    settle(prefix + "showThreadName", "true");
    settle(prefix + "showShortLogName", "true");
  }

  /**
   * Marks the JDK's warning about {@code sun.misc.Unsafe} as given. The JDK prints it once per
   * process, at the first call, unless it is started with {@code
   * --sun-misc-unsafe-memory-access=allow}, which no manifest can carry. Chronicle Map calls these
   * methods for each look-up in the index, so an operator can do nothing about it. The module
   * jdk.unsupported opens the package to reflection. On a JDK without the field nothing changes.
   */
  private static void settleUnsafeWarning() {
    try {
      Field warned = Class.forName("sun.misc.Unsafe").getDeclaredField("memoryAccessWarned");
      warned.setAccessible(true);
      warned.setBoolean(null, true);
    } catch (ReflectiveOperationException | RuntimeException otherJdk) {
      // The JVM then warns, or not, as it does for any program.
    }
  }

  private static void settle(String key, String value) {
    if (System.getProperty(key) == null) {
      System.setProperty(key, value);
    }
  }
}
