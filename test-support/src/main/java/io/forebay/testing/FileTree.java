package io.forebay.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Files below a directory, such as a machine's {@code /proc} and {@code /sys} for code that takes
 * their root. A text has many of them:
 *
 * <pre>
 *   &#64;file proc/uptime
 *   63480.00 30025.48
 *   &#64;link sys/block/vda ../devices/virtual/block/vda
 * </pre>
 */
public final class FileTree {
  private static final String FILE = "@file ";
  private static final String LINK = "@link ";

  private final Path root;

  private FileTree(Path root) {
    this.root = root;
  }

  /** Below a directory that is there. */
  public static FileTree in(Path root) {
    return new FileTree(root);
  }

  public Path root() {
    return root;
  }

  /** Makes a file, or gives it another content; a line feed ends the content. */
  public FileTree file(String name, String content) {
    return write(name, content + "\n");
  }

  private FileTree write(String name, String content) {
    Path file = root.resolve(name);
    try {
      Files.createDirectories(file.getParent());
      Files.writeString(file, content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  public FileTree link(String name, String target) {
    Path link = root.resolve(name);
    try {
      Files.createDirectories(link.getParent());
      Files.createSymbolicLink(link, Path.of(target));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  /** Removes files, and what is in directories. */
  public FileTree remove(String... names) {
    try {
      for (String name : names) {
        Directories.delete(root.resolve(name));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  /** Makes the files of a text. */
  public FileTree all(String text) {
    String name = "";
    StringBuilder content = new StringBuilder();
    for (String line : text.split("\n", -1)) {
      if (line.startsWith(FILE) || line.startsWith(LINK)) {
        flush(name, content);
        name = line.startsWith(FILE) ? line.substring(FILE.length()) : "";
      }
      if (line.startsWith(LINK)) {
        String[] words = line.split(" ", 3);
        link(words[1], words[2]);
      } else if (!line.startsWith(FILE)) {
        content.append(line).append('\n');
      }
    }
    flush(name, content);
    return this;
  }

  private void flush(String name, StringBuilder content) {
    if (!name.isEmpty()) {
      String text = content.toString();
      // The end of the text is no line of its own.
      write(name, text.endsWith("\n\n") ? text.substring(0, text.length() - 1) : text);
    }
    content.setLength(0);
  }

  /** Makes the files of a resource beside a class. */
  public FileTree resource(Class<?> beside, String name) {
    try (InputStream in = beside.getResourceAsStream(name)) {
      if (in == null) {
        throw new AssertionError("no resource " + name + " beside " + beside);
      }
      return all(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
