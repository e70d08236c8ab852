package io.forebay.server.config;

import io.forebay.server.text.Printable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads the bodies of answers, and other files of actions, when the configuration is read. */
final class BodyReader {
  static final int MAX_BODY = 1 << 20;
  static final int MAX_BODY_TEXT = 64 * 1024;

  private final TreeReader reader;
  private final ReadFiles.Recorder files;

  BodyReader(TreeReader reader, ReadFiles.Recorder files) {
    this.reader = reader;
    this.files = files;
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
    return file(filePath, file.value(), MAX_BODY, "1MiB");
  }

  /** The content of the file that a value names; null after a problem. */
  byte @Nullable [] file(String path, ConfigTree value, int maxBytes, String size) {
    String name = reader.text(path, value);
    if (name == null) {
      return null;
    }
    String why;
    try {
      Path file = Path.of(name);
      if (Files.isRegularFile(file) && Files.size(file) > maxBytes) {
        why = "is larger than " + size;
      } else {
        byte[] content = Files.readAllBytes(file);
        files.note(path, content);
        return content;
      }
    } catch (IOException | IllegalArgumentException e) {
      why = "is not a file that can be read";
    }
    reader.problem(value.place(), path, "\"" + Printable.shown(name) + "\" " + why, "");
    return null;
  }
}
