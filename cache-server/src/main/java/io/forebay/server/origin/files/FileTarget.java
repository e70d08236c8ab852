package io.forebay.server.origin.files;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The path below the directory that a request's target names.
 *
 * @param path relative, decoded once; empty for the directory itself
 * @param isDirectory whether the target ends in a slash
 * @param lastSegment as it stands in the target
 * @param query with its question mark; empty for none
 */
@SuppressWarnings("ArrayRecordComponent") // Made once, read by one call.
record FileTarget(byte[] path, boolean isDirectory, String lastSegment, String query) {
  private static final String WELL_KNOWN = ".well-known";

  /**
   * Reads a target in origin form.
   *
   * @param isHiddenServed whether names that begin with a dot are served; {@code /.well-known} is
   *     (RFC 8615)
   * @return null for one that no file can have: with an empty segment, a dot segment, an encoded
   *     slash, a backslash, a control character, or bytes that are not UTF-8
   */
  static @Nullable FileTarget of(String target, boolean isHiddenServed) {
    int question = target.indexOf('?');
    String path = question < 0 ? target : target.substring(0, question);
    if (!path.startsWith("/")) {
      return null;
    }
    ByteArrayOutputStream decoded = new ByteArrayOutputStream(path.length());
    String last = "";
    boolean isDirectory = false;
    int from = 1;
    while (from <= path.length()) {
      int slash = path.indexOf('/', from);
      int end = slash < 0 ? path.length() : slash;
      last = path.substring(from, end);
      isDirectory = last.isEmpty();
      if (isDirectory && slash >= 0) {
        return null;
      }
      if (!isDirectory) {
        byte[] name = name(last);
        boolean mayBeHidden = isHiddenServed || (decoded.size() == 0 && last.equals(WELL_KNOWN));
        if (name == null || (name[0] == '.' && !mayBeHidden)) {
          return null;
        }
        if (decoded.size() > 0) {
          decoded.write('/');
        }
        decoded.writeBytes(name);
      }
      from = end + 1;
    }
    byte[] bytes = decoded.toByteArray();
    return bytes.length >= FileCalls.MAX_PATH || !isText(bytes)
        ? null
        : new FileTarget(bytes, isDirectory, last, question < 0 ? "" : target.substring(question));
  }

  /** The bytes that a segment stands for, or null where that is no name. */
  private static byte @Nullable [] name(String segment) {
    ByteArrayOutputStream name = new ByteArrayOutputStream(segment.length());
    for (int i = 0; i < segment.length(); i++) {
      int value = segment.charAt(i);
      if (value == '%') {
        if (i + 2 >= segment.length()) {
          return null;
        }
        int high = Character.digit(segment.charAt(i + 1), 16);
        int low = Character.digit(segment.charAt(i + 2), 16);
        if (high < 0 || low < 0) {
          return null;
        }
        value = high << 4 | low;
        i += 2;
      }
      if (value < ' ' || value == 0x7f || value > 0xff || value == '/' || value == '\\') {
        return null;
      }
      name.write(value);
    }
    byte[] bytes = name.toByteArray();
    boolean isDots =
        bytes[0] == '.' && (bytes.length == 1 || (bytes.length == 2 && bytes[1] == '.'));
    return isDots ? null : bytes;
  }

  private static boolean isText(byte[] bytes) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  /** The path of a file in the directory that this names. */
  byte[] of(String name) {
    byte[] file = name.getBytes(StandardCharsets.UTF_8);
    if (path.length == 0) {
      return file;
    }
    byte[] joined = new byte[path.length + 1 + file.length];
    System.arraycopy(path, 0, joined, 0, path.length);
    joined[path.length] = '/';
    System.arraycopy(file, 0, joined, path.length + 1, file.length);
    return joined;
  }

  /** Where the directory is that was named without its slash, from where it was named. */
  String directoryReference() {
    // The dot keeps a name with a colon from being read as a scheme.
    return "./" + lastSegment + "/" + query;
  }
}
