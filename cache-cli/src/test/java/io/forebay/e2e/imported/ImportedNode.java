package io.forebay.e2e.imported;

import io.forebay.server.Server;
import io.forebay.server.StartException;
import io.forebay.server.config.ConfigEnvironment;
import io.forebay.server.config.ConfigLoader;
import io.forebay.server.config.ConfigSource;
import io.forebay.testing.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;

/** A node in this process with an imported configuration, small and without an admin port. */
final class ImportedNode implements AutoCloseable {
  private final Server server;
  private final Path memory;

  private ImportedNode(Server server, Path memory) {
    this.server = server;
    this.memory = memory;
  }

  /**
   * Starts one.
   *
   * @param home an empty directory
   * @param port to listen on where the configuration does not say so
   */
  static ImportedNode start(Path home, String yaml, int port) throws IOException, StartException {
    Files.createDirectories(home.resolve("stores"));
    Path file = home.resolve("forebay.yaml");
    // A cache as large as the file has it would need the disk for it.
    Files.writeString(
        file,
        yaml.replaceAll(
            "/var/cache/forebay/([^,}]*), size: [^,}]*",
            Matcher.quoteReplacement(home + "/stores/") + "$1, size: 64MiB"));
    Path memory = Directories.inMemory("forebay-imported-");
    boolean isStarted = false;
    try {
      Map<String, String> options = new HashMap<>();
      options.put("admin.address", "unix:" + home.resolve("admin.sock"));
      options.put("store.memory", "32MiB");
      options.put("store.memory-directory", memory.toString());
      options.put("store.data", home.resolve("data").toString());
      options.put("threads.loops", "1");
      options.put("threads.pin", "off");
      options.put("access-log.output", "off");
      if (!yaml.startsWith("listen:") && !yaml.contains("\nlisten:")) {
        options.put("listen", "127.0.0.1:" + port);
      }
      Server server =
          Server.start(
              ConfigSource.of(new ConfigLoader(ConfigEnvironment.system()), file, options), "test");
      isStarted = true;
      return new ImportedNode(server, memory);
    } finally {
      if (!isStarted) {
        Directories.delete(memory);
      }
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    Directories.delete(memory);
  }
}
