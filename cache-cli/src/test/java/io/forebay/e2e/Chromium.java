package io.forebay.e2e;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

/** Runs Debian's Chromium without a window on one page, with an empty profile. */
final class Chromium implements AutoCloseable {
  private final Process process;
  private final Path log;

  private Chromium(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /**
   * Opens a page.
   *
   * @param host its host, which is looked for at this machine
   * @param trusted a certificate that it does not ask anybody about
   */
  static Chromium open(
      Path directory, String url, String host, X509Certificate trusted, List<String> options)
      throws IOException {
    Files.createDirectories(directory);
    Path log = directory.resolve("chromium.log");
    String pin =
        Base64.getEncoder()
            .encodeToString(
                HexFormat.of().parseHex(Curl.sha256(trusted.getPublicKey().getEncoded())));
    List<String> command =
        new ArrayList<>(
            List.of(
                Tools.require("chromium").toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-dev-shm-usage",
                "--disable-sync",
                "--user-data-dir=" + directory.resolve("profile"),
                "--host-resolver-rules=MAP " + host + " 127.0.0.1",
                "--ignore-certificate-errors-spki-list=" + pin));
    command.addAll(options);
    command.add(url);
    ProcessBuilder browser =
        new ProcessBuilder(command)
            .redirectInput(new File("/dev/null"))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    // Its sockets, too, go with the directory.
    browser.environment().put("TMPDIR", directory.toString());
    return new Chromium(browser.start(), log);
  }

  /** Fails where it has ended by itself, which nobody asked it to. */
  void assertRunning() throws IOException {
    if (!process.isAlive()) {
      throw new AssertionError("chromium ended: " + Files.readString(log));
    }
  }

  /** Ends it with all processes that it has started. */
  @Override
  public void close() throws InterruptedException {
    List<ProcessHandle> children = process.descendants().toList();
    process.destroy();
    children.forEach(ProcessHandle::destroy);
    for (ProcessHandle child : children) {
      child.onExit().join();
    }
    process.waitFor();
  }
}
