package io.forebay.server.protect.token;

import io.forebay.server.jwt.VerificationKeys;
import io.forebay.server.text.Printable;
import io.forebay.storage.file.PrivateFiles;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last good JWK set of a URL, in a file of the data directory that is named by a hash of the
 * URL. A file that cannot be written costs the set at the next start only.
 */
final class KeyFile {
  private static final Logger LOG = LoggerFactory.getLogger(KeyFile.class);

  private final Path directory;
  private final Path file;

  private KeyFile(Path directory, String name) {
    this.directory = directory;
    this.file = directory.resolve(name);
  }

  static KeyFile of(Path directory, URI url) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256")
              .digest(url.toString().getBytes(StandardCharsets.UTF_8));
      return new KeyFile(directory, "jwks-" + HexFormat.of().formatHex(hash, 0, 16) + ".json");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What it has, or null. */
  byte @Nullable [] read() {
    try {
      if (!PrivateFiles.exists(file)) {
        return null;
      }
      try (FileChannel in = PrivateFiles.open(file)) {
        ByteBuffer buffer = ByteBuffer.allocate(VerificationKeys.MAX_BYTES + 1);
        while (buffer.hasRemaining() && in.read(buffer) >= 0) {
          Thread.onSpinWait();
        }
        byte[] bytes = new byte[buffer.flip().remaining()];
        buffer.get(bytes);
        return bytes;
      }
    } catch (IOException e) {
      LOG.warn("{} is not used: {}", file, Printable.line(e));
      return null;
    }
  }

  void write(byte[] set) {
    Path made = file.resolveSibling(file.getFileName() + ".new");
    try {
      try (FileChannel out = PrivateFiles.createNew(made)) {
        ByteBuffer bytes = ByteBuffer.wrap(set);
        while (bytes.hasRemaining()) {
          out.write(bytes);
        }
        out.force(true);
      }
      Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
      PrivateFiles.forceNames(directory);
    } catch (IOException e) {
      LOG.warn("the keys are in force, but {} was not written: {}", file, Printable.line(e));
    }
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
