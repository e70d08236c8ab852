package io.forebay.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The content of files that a configuration names, by the key that names them: a hash, so that a
 * reload can tell which of them changed. Immutable. Certificates and keys are not among them:
 * {@code server.tls} compares what it made of them.
 */
public final class ReadFiles {

  /** No files. */
  public static final ReadFiles NONE = new ReadFiles(Map.of());

  private final Map<String, String> hashes;

  private ReadFiles(Map<String, String> hashes) {
    this.hashes = Map.copyOf(hashes);
  }

  /** The keys whose file has other content than before. */
  public List<String> changedSince(ReadFiles before) {
    List<String> changed = new ArrayList<>();
    hashes.forEach((key, hash) -> {
      String old = before.hashes.get(key);
      if (old != null && !old.equals(hash)) {
        changed.add(key);
      }
    });
    changed.sort(null);
    return changed;
  }

  /** Collects the files while a configuration is read. */
  static final class Recorder {
    private final Map<String, String> hashes = new LinkedHashMap<>();
    private String scope = "";
    private String alias = "";

    /** Keys below a scope are from now on noted below another one: by name, not by index. */
    void alias(String below, String as) {
      scope = below + ".";
      alias = as + ".";
    }

    /** A file has been read; gives its hash. */
    String note(String key, byte[] content) {
      String hash = HexFormat.of().formatHex(digest().digest(content));
      note(key, hash);
      return hash;
    }

    /** The same of a file that was read before, for another key. */
    void note(String key, String hash) {
      String name =
          !alias.isEmpty() && key.startsWith(scope) ? alias + key.substring(scope.length()) : key;
      hashes.put(name, hash);
    }

    /** The same; a file that cannot be read is a problem of who needs it. */
    void note(String key, Path file, long maxBytes) {
      try {
        if (Files.size(file) <= maxBytes) {
          note(key, Files.readAllBytes(file));
        }
      } catch (IOException e) {
        // The reader of the file reports the problem.
      }
    }

    ReadFiles all() {
      return new ReadFiles(hashes);
    }

    private static MessageDigest digest() {
      try {
        return MessageDigest.getInstance("SHA-256");
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every JDK has SHA-256", e);
      }
    }
  }
}
