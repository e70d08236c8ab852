package io.forebay.cli.importer.model;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Bounded reading of files of another server. */
public final class SourceFile {
  private static final long MAX_BYTES = 4 << 20;
  private static final int MAX_MATCHES = 1000;
  private static final Pattern WILDCARD = Pattern.compile("[*?\\[]");

  private SourceFile() {}

  /** The text of a file, without a byte order mark. */
  public static String read(Path file) throws ImportException {
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw new ImportException(file + ": larger than " + MAX_BYTES + " bytes");
      }
      // Bytes that are no UTF-8 become replacement characters.
      String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
      return text.startsWith("\ufeff") ? text.substring(1) : text;
    } catch (IOException e) {
      throw new ImportException(file + ": cannot be read: " + e.getMessage());
    }
  }

  /** A problem at a place of a file; line and column count from 1 on. */
  public static ImportException problem(String file, int line, int column, String problem) {
    return new ImportException(file + ":" + line + ":" + column + ": " + problem);
  }

  /**
   * The files that a name with {@code *} or {@code ?} in its last part stands for, in the order of
   * their names; or the file of that name, if there is one.
   */
  public static List<Path> matching(Path named) throws ImportException {
    Path parent = named.getParent();
    Path last = named.getFileName();
    List<Path> found = new ArrayList<>();
    if (parent == null || last == null || !WILDCARD.matcher(last.toString()).find()) {
      if (Files.isRegularFile(named)) {
        found.add(named);
      }
      return found;
    }
    if (Files.isDirectory(parent)) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(parent, last.toString())) {
        for (Path file : files) {
          if (Files.isRegularFile(file) && found.size() < MAX_MATCHES) {
            found.add(file);
          }
        }
      } catch (IOException | IllegalArgumentException e) {
        throw new ImportException(named + ": cannot be listed: " + e.getMessage());
      }
    }
    found.sort(null);
    return found;
  }
}
