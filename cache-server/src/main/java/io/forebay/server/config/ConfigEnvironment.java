package io.forebay.server.config;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;

/**
 * The environment of the configuration loader: variables, default files and the node id,
 * replaceable in tests.
 *
 * @param variables environment variables
 * @param workingDirectory where {@code forebay.yaml} is looked for
 * @param systemFile file looked for after that
 * @param systemData data directory preferred where it can be written
 * @param home home directory of the user
 * @param nodeId name of a node that is given none; the same at every load of a process, so that a
 *     reload does not rename the node
 */
public record ConfigEnvironment(
    Map<String, String> variables,
    Path workingDirectory,
    Path systemFile,
    Path systemData,
    Path home,
    String nodeId) {

  public ConfigEnvironment {
    variables = Map.copyOf(variables);
  }

  /** The machine this process runs on. */
  public static ConfigEnvironment system() {
    return Holder.SYSTEM;
  }

  /**
   * The default data directory: the system's where it can be written or made, else the user's own.
   */
  Path dataDirectory() {
    Path parent = systemData.getParent();
    boolean isOurs =
        Files.isDirectory(systemData)
            ? Files.isWritable(systemData)
            : parent != null && !Files.exists(systemData) && Files.isWritable(parent);
    if (isOurs) {
      return systemData;
    }
    String state = variables.getOrDefault("XDG_STATE_HOME", "");
    // The XDG specification tells to ignore a relative path.
    Path base =
        !state.isEmpty() && Path.of(state).isAbsolute()
            ? Path.of(state)
            : home.resolve(".local/state");
    return base.resolve("forebay");
  }

  private static final class Holder {
    static final ConfigEnvironment SYSTEM =
        new ConfigEnvironment(
            System.getenv(),
            Path.of("").toAbsolutePath(),
            Path.of("/etc/forebay/forebay.yaml"),
            Path.of("/var/lib/forebay"),
            Path.of(System.getProperty("user.home", "/")),
            randomNodeId());

    /**
     * Random rather than made from the host name: the name goes out to clients and origins, and two
     * nodes of one machine must tell each other from a request loop.
     */
    private static String randomNodeId() {
      byte[] digits = new byte[5];
      new SecureRandom().nextBytes(digits);
      return "forebay-" + HexFormat.of().formatHex(digits);
    }
  }
}
