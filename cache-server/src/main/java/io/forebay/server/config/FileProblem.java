package io.forebay.server.config;

import io.forebay.server.text.Printable;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/** Says of a file that the configuration names why it cannot be used. */
final class FileProblem {
  private FileProblem() {}

  static String text(Path file, IOException cause) {
    String name = Printable.shown(file.toString());
    return cause instanceof FileSystemException || cause.getMessage() == null
        ? "\"" + name + "\" is not a file that can be read"
        : name + " " + Printable.shown(cause.getMessage(), 200);
  }
}
