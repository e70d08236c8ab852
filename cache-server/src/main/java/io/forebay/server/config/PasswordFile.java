package io.forebay.server.config;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The users of a file as {@code htpasswd -B} writes it: a name, a colon and the bcrypt hash of a
 * password on each line. Shows nothing of them.
 */
public final class PasswordFile {

  /** No users. */
  static final PasswordFile EMPTY = new PasswordFile(Map.of());

  private static final int MAX_BYTES = 4 << 20;
  private static final int MAX_COST = 14;
  private static final Pattern BCRYPT =
      Pattern.compile("\\$2[aby]\\$([0-9]{2})\\$[./A-Za-z0-9]{53}");

  private final Map<String, String> hashes;

  private PasswordFile(Map<String, String> hashes) {
    this.hashes = hashes;
  }

  /**
   * Reads a file.
   *
   * @throws IOException with a message that names the line, for a file that cannot be used
   */
  public static PasswordFile read(Path file) throws IOException {
    if (Files.size(file) > MAX_BYTES) {
      throw new IOException("is larger than 4MiB");
    }
    Map<String, String> hashes = new LinkedHashMap<>();
    int number = 0;
    try {
      for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
        number++;
        if (!line.isBlank() && !line.startsWith("#")) {
          add(hashes, line.strip(), number);
        }
      }
    } catch (CharacterCodingException e) {
      throw new IOException("is not UTF-8", e);
    }
    if (hashes.isEmpty()) {
      throw new IOException("has no users");
    }
    return new PasswordFile(hashes);
  }

  private static void add(Map<String, String> hashes, String line, int number) throws IOException {
    int colon = line.indexOf(':');
    if (colon < 1) {
      throw new IOException("line " + number + " is not NAME:HASH");
    }
    String hash = line.substring(colon + 1);
    Matcher bcrypt = BCRYPT.matcher(hash);
    if (!bcrypt.matches()) {
      throw new IOException("line " + number + " has " + kind(hash) + ", not a bcrypt hash");
    }
    int cost = Integer.parseInt(bcrypt.group(1));
    if (cost < 4 || cost > MAX_COST) {
      throw new IOException("line " + number + " has a cost of " + cost + ", not 4 to " + MAX_COST);
    }
    if (hashes.put(line.substring(0, colon), hash) != null) {
      throw new IOException("line " + number + " has the name of a line before");
    }
  }

  private static String kind(String hash) {
    if (hash.startsWith("$apr1$") || hash.startsWith("$1$")) {
      return "an MD5 hash";
    }
    if (hash.startsWith("{SHA}")) {
      return "a SHA-1 hash";
    }
    if (hash.startsWith("$5$") || hash.startsWith("$6$")) {
      return "a SHA-2 hash of crypt";
    }
    return "a crypt hash or a plain password";
  }

  /** The bcrypt hash of a user's password; null where there is no such user. */
  public @Nullable String hash(String user) {
    return hashes.get(user);
  }

  /** A hash of one of the users, for work that takes as long as a real check. */
  public String anyHash() {
    return hashes.values().iterator().next();
  }

  public int users() {
    return hashes.size();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof PasswordFile that && hashes.equals(that.hashes);
  }

  @Override
  public int hashCode() {
    return hashes.hashCode();
  }

  @Override
  public String toString() {
    return users() + (users() == 1 ? " user" : " users");
  }
}
