package io.forebay.server.plugin;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/**
 * The content of a jar, read whole: no file stays open, and one that is overwritten later changes
 * nothing of classes that are loaded by then.
 */
final class PluginJar {
  private static final long MAX_BYTES = 64L << 20;
  private static final int MAX_ENTRIES = 20_000;

  private PluginJar() {}

  /**
   * Its entries by name; those for this version of Java where there are several.
   *
   * @throws IOException with a message for an operator
   */
  static Map<String, byte[]> read(Path file) throws IOException {
    requireOwned(file);
    if (Files.size(file) > MAX_BYTES) {
      throw new IOException("is larger than 64MiB");
    }
    Map<String, byte[]> entries = new HashMap<>();
    long rest = MAX_BYTES;
    try (JarFile jar = new JarFile(file.toFile(), false, ZipFile.OPEN_READ, Runtime.version())) {
      Iterator<JarEntry> each = jar.versionedStream().iterator();
      while (each.hasNext()) {
        JarEntry entry = each.next();
        if (entry.isDirectory()) {
          continue;
        }
        try (InputStream in = jar.getInputStream(entry)) {
          byte[] content = in.readNBytes((int) rest + 1);
          rest -= content.length;
          entries.put(entry.getName(), content);
        }
        if (rest < 0 || entries.size() > MAX_ENTRIES) {
          throw new IOException("has more than 64MiB unpacked, or more than 20,000 entries");
        }
      }
    } catch (ZipException | IllegalArgumentException e) {
      throw new IOException("is not a jar file: " + e.getMessage(), e);
    }
    return entries;
  }

  /** What everybody may write to, everybody may run with the rights of the node. */
  static void requireOwned(Path file) throws IOException {
    PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
    if (view != null
        && view.readAttributes().permissions().contains(PosixFilePermission.OTHERS_WRITE)) {
      throw new IOException("can be written by everybody on this machine: chmod o-w");
    }
  }
}
