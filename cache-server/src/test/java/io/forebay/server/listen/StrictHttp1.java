package io.forebay.server.listen;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Where the messages end in the bytes of one HTTP/1.1 connection towards a server, by the letter of
 * RFC 9112 and without a line of the product's. What the grammar does not have is an error, never
 * guessed at, so that nothing which this reader takes is read otherwise by another one.
 */
public final class StrictHttp1 {

  private static final String TOKEN_MARKS = "!#$%&'*+-.^_`|~";
  private static final int MAX_SIZE_DIGITS = 15;

  private final byte[] bytes;
  private final boolean takesEmptyLines;
  private int position;

  private StrictHttp1(byte[] bytes, boolean takesEmptyLines) {
    this.bytes = bytes;
    this.takesEmptyLines = takesEmptyLines;
  }

  /** A field line; the name in lower case. */
  record Field(String name, String value) {}

  /**
   * A message.
   *
   * @param body as far as it came
   * @param isWhole whether its end was there
   */
  @SuppressWarnings("ArrayRecordComponent") // Made once, read by tests.
  public record Message(
      String method,
      String target,
      String version,
      List<Field> fields,
      byte[] body,
      boolean isWhole) {

    @Nullable String only(String name) {
      List<String> values =
          fields.stream().filter(f -> f.name().equals(name)).map(Field::value).toList();
      return values.size() == 1 ? values.getFirst() : null;
    }

    public boolean has(String name) {
      return fields.stream().anyMatch(field -> field.name().equals(name));
    }

    @Override
    public String toString() {
      return method + " " + target + " (" + body.length + (isWhole ? ")" : ", cut)");
    }
  }

  /**
   * What was read.
   *
   * @param messages those whose head was there; only the last one may be cut
   * @param error why reading ended before the bytes did, or null
   * @param isBetween whether the bytes end where a message does
   */
  public record Read(List<Message> messages, @Nullable String error, boolean isBetween) {}

  /** The bytes do not go on. */
  private static final class Cut extends Exception {
    private static final long serialVersionUID = 1;
  }

  /** The bytes are not HTTP. */
  private static final class Wrong extends Exception {
    private static final long serialVersionUID = 1;

    Wrong(String why) {
      super(why);
    }
  }

  public static Read read(byte[] bytes) {
    return read(bytes, false);
  }

  /**
   * Reads what a client sends.
   *
   * @param takesEmptyLines whether one is skipped in front of each request line (RFC 9112 §2.2)
   */
  public static Read read(byte[] bytes, boolean takesEmptyLines) {
    StrictHttp1 reader = new StrictHttp1(bytes, takesEmptyLines);
    List<Message> messages = new ArrayList<>();
    while (reader.position < bytes.length) {
      try {
        reader.message(messages);
      } catch (Cut cut) {
        return new Read(messages, null, false);
      } catch (Wrong wrong) {
        return new Read(messages, wrong.getMessage() + " before " + reader.position, false);
      }
    }
    return new Read(messages, null, true);
  }

  private void message(List<Message> messages) throws Cut, Wrong {
    if (takesEmptyLines
        && position + 1 < bytes.length
        && bytes[position] == '\r'
        && bytes[position + 1] == '\n') {
      position += 2;
    }
    // RFC 9112 3: request-line = method SP request-target SP HTTP-version
    String[] words = line().split(" ", -1);
    require(words.length == 3, "request line");
    require(isToken(words[0]), "method");
    require(!words[1].isEmpty() && words[1].chars().allMatch(c -> c > ' ' && c < 0x7f), "target");
    require(words[2].equals("HTTP/1.1") || words[2].equals("HTTP/1.0"), "version");
    List<Field> fields = fields();
    Message head = new Message(words[0], words[1], words[2], fields, new byte[0], false);
    checkHost(head);
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    boolean isWhole = false;
    try {
      // RFC 9112 6.3, of which a server may take the strictest reading of 6.1 and 6.2
      if (head.has("transfer-encoding")) {
        require(!head.has("content-length"), "both framings");
        require(words[2].equals("HTTP/1.1"), "a coding in HTTP/1.0");
        require("chunked".equalsIgnoreCase(head.only("transfer-encoding")), "coding");
        chunks(body);
      } else if (head.has("content-length")) {
        String length = head.only("content-length");
        require(length != null && length.matches("[0-9]{1,18}"), "length");
        take(body, Long.parseLong(length));
      }
      isWhole = true;
    } finally {
      messages.add(new Message(words[0], words[1], words[2], fields, body.toByteArray(), isWhole));
    }
  }

  private static void checkHost(Message head) throws Wrong {
    require(head.only("host") != null || head.version().equals("HTTP/1.0"), "host");
  }

  private List<Field> fields() throws Cut, Wrong {
    List<Field> fields = new ArrayList<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      require(colon > 0 && isToken(line.substring(0, colon)), "field name");
      String value = line.substring(colon + 1).replaceAll("^[ \t]+|[ \t]+$", "");
      require(value.chars().allMatch(c -> c == '\t' || (c >= ' ' && c != 0x7f)), "field value");
      fields.add(new Field(line.substring(0, colon).toLowerCase(Locale.ROOT), value));
    }
    return fields;
  }

  private void chunks(ByteArrayOutputStream body) throws Cut, Wrong {
    while (true) {
      String line = line();
      int digits = 0;
      while (digits < line.length() && Character.digit(line.charAt(digits), 16) >= 0) {
        digits++;
      }
      // RFC 9112 §7.1 sets no bound on zeros in front.
      int zeros = 0;
      while (zeros < digits - 1 && line.charAt(zeros) == '0') {
        zeros++;
      }
      require(digits > 0 && digits - zeros <= MAX_SIZE_DIGITS, "chunk size");
      // What follows the semicolon is anybody's, RFC 9112 7.1.1, but for its end.
      require(line.substring(digits).matches("|[ \t]*;[\\t\\x20-\\x7e\\x80-\\xff]*"), "extension");
      long length = Long.parseLong(line.substring(0, digits), 16);
      if (length == 0) {
        List<Field> ignored = fields();
        return;
      }
      take(body, length);
      require(line().isEmpty(), "end of a chunk");
    }
  }

  private void take(ByteArrayOutputStream body, long length) throws Cut {
    int there = (int) Math.min(length, bytes.length - position);
    body.write(bytes, position, there);
    position += there;
    if (there < length) {
      throw new Cut();
    }
  }

  /** To CR LF; neither of them stands alone. */
  private String line() throws Cut, Wrong {
    for (int i = position; i < bytes.length; i++) {
      require(bytes[i] != '\n', "LF alone");
      if (bytes[i] == '\r') {
        if (i + 1 == bytes.length) {
          break;
        }
        require(bytes[i + 1] == '\n', "CR alone");
        String line = new String(bytes, position, i - position, StandardCharsets.ISO_8859_1);
        position = i + 2;
        return line;
      }
    }
    throw new Cut();
  }

  private static boolean isToken(String text) {
    return !text.isEmpty()
        && text.chars()
            .allMatch(c ->
                (c >= '0' && c <= '9')
                    || (c >= 'A' && c <= 'Z')
                    || (c >= 'a' && c <= 'z')
                    || TOKEN_MARKS.indexOf(c) >= 0);
  }

  private static void require(boolean holds, String what) throws Wrong {
    if (!holds) {
      throw new Wrong(what);
    }
  }
}
