package io.forebay.cli.console;

import io.netty.handler.ssl.OpenSsl;
import io.netty.util.Version;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Properties;

/** The versions and features of this process, for {@code --version} and bug reports. */
public record VersionInfo(String forebay, String netty, String tls, String java) {

  public static VersionInfo read() {
    return new VersionInfo(forebayVersion(), nettyVersion(), tlsVersion(), javaVersion());
  }

  public List<String> lines() {
    return List.of(
        "forebay    " + forebay, "netty      " + netty, "tls        " + tls, "java       " + java);
  }

  public static String forebayVersion() {
    return property("version");
  }

  private static String property(String name) {
    Properties properties = new Properties();
    try (InputStream resource = VersionInfo.class.getResourceAsStream("version.properties")) {
      if (resource != null) {
        properties.load(resource);
      }
    } catch (IOException unreadable) {
      throw new IllegalStateException("the jar's version.properties cannot be read", unreadable);
    }
    return properties.getProperty(name, "unknown");
  }

  private static String nettyVersion() {
    Version common = Version.identify(VersionInfo.class.getClassLoader()).get("netty-common");
    return common == null ? "unknown" : common.artifactVersion();
  }

  private static String tlsVersion() {
    if (!OpenSsl.isAvailable()) {
      return "the JDK's own; BoringSSL cannot be loaded: "
          + CommandException.reason(OpenSsl.unavailabilityCause());
    }
    return OpenSsl.versionString() + " of netty-tcnative " + property("tcnative");
  }

  private static String javaVersion() {
    return System.getProperty("java.runtime.version")
        + " ("
        + System.getProperty("java.vm.name")
        + ", "
        + System.getProperty("java.vendor")
        + ")";
  }
}
