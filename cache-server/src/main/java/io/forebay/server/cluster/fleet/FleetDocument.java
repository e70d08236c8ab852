package io.forebay.server.cluster.fleet;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The configuration of a fleet: {@value #MAIN} and the files that it includes or names. Files are
 * in the order of their names.
 */
public final class FleetDocument {
  public static final String MAIN = "fleet.yaml";
  public static final int MAX_FILES = 512;
  public static final int MAX_BYTES = 16 << 20;

  private static final int MAX_NAME = 255;

  /** No empty part and no leading dot, so a name cannot lead out of the document. */
  private static final Pattern NAME =
      Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,99}(/[A-Za-z0-9_][A-Za-z0-9._-]{0,99}){0,7}");

  private final List<File> files;

  /** A file; callers must not change its content. */
  @SuppressWarnings("ArrayRecordComponent")
  public record File(String name, byte[] content) {}

  private FleetDocument(List<File> files) {
    this.files = files;
  }

  /**
   * A document of files.
   *
   * @throws FleetException when it has no main file, has an invalid name, or is too large
   */
  public static FleetDocument of(List<File> files) throws FleetException {
    List<File> sorted = new ArrayList<>(files);
    sorted.sort(Comparator.comparing(File::name));
    checkNames(sorted.stream().map(File::name).toList());
    checkSize(sorted.stream().mapToLong(file -> file.content().length).sum());
    return new FleetDocument(List.copyOf(sorted));
  }

  /** Names in their order. */
  static void checkNames(List<String> names) throws FleetException {
    if (names.size() > MAX_FILES) {
      throw FleetException.wrong(
          "the document has " + names.size() + " files; " + MAX_FILES + " are allowed");
    }
    if (!names.contains(MAIN)) {
      throw FleetException.wrong("the document has no file " + MAIN);
    }
    for (int i = 0; i < names.size(); i++) {
      String name = names.get(i);
      if (name.length() > MAX_NAME || !NAME.matcher(name).matches()) {
        throw FleetException.wrong(
            "a file of the document has a name that is not allowed: use letters, digits, dots,"
                + " dashes and underscores, at most 8 levels, and no dot in front");
      }
      for (int j = i + 1; j < names.size(); j++) {
        if (names.get(j).equals(name) || names.get(j).startsWith(name + "/")) {
          throw FleetException.wrong("the document has " + name + " twice");
        }
      }
    }
  }

  static void checkSize(long bytes) throws FleetException {
    if (bytes > MAX_BYTES) {
      throw FleetException.wrong(
          "the document has " + bytes + " bytes; " + MAX_BYTES + " (16MiB) are allowed");
    }
  }

  public List<File> files() {
    return files;
  }

  /** Bytes of all files together. */
  public long size() {
    return files.stream().mapToLong(file -> file.content().length).sum();
  }
}
