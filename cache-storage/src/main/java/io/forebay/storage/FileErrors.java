package io.forebay.storage;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.Objects;

/** Describes an exception from a file operation in one line for operators. */
final class FileErrors {
  private FileErrors() {}

  static String oneLine(IOException e) {
    return e instanceof FileSystemException f
        ? f.getFile() + ": " + reason(f)
        : Objects.requireNonNullElse(e.getMessage(), e.getClass().getSimpleName());
  }

  static String reason(FileSystemException e) {
    String reason = e.getReason();
    return reason != null ? reason : e.getClass().getSimpleName().replace("Exception", "");
  }
}
