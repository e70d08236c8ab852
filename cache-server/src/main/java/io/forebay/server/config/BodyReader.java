package io.forebay.server.config;

import io.forebay.server.text.Printable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads the bodies of answers: a text, or a file, which is read when the configuration is. */
final class BodyReader {
  static final int MAX_BODY = 1 << 20;
  static final int MAX_BODY_TEXT = 64 * 1024;

  private final TreeReader reader;

  BodyReader(TreeReader reader) {
    this.reader = reader;
  }

  /** The bytes, none where neither is given; null after a problem. */
  byte @Nullable [] read(
      String textPath,
      ConfigTree.@Nullable Entry text,
      String filePath,
      ConfigTree.@Nullable Entry file) {
    if (text != null && file != null) {
      reader.problem(file.place(), filePath, text.key() + " is given as well", "keep one of them");
      return null;
    }
    if (text != null) {
      String value = reader.text(textPath, text.value(), MAX_BODY_TEXT);
      return value == null ? null : value.getBytes(StandardCharsets.UTF_8);
    }
    if (file == null) {
      return new byte[0];
    }
    String name = reader.text(filePath, file.value());
    if (name == null) {
      return null;
    }
    String why;
    try {
      Path of = Path.of(name);
      if (Files.isRegularFile(of) && Files.size(of) > MAX_BODY) {
        why = "is larger than 1MiB";
      } else {
        return Files.readAllBytes(of);
      }
    } catch (IOException | IllegalArgumentException e) {
      why = "is not a file that can be read";
    }
    reader.problem(file.value().place(), filePath, "\"" + Printable.shown(name) + "\" " + why, "");
    return null;
  }
}
