package io.forebay.server.cluster.fleet;

import io.forebay.server.text.Printable;
import io.forebay.storage.file.PrivateFiles;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The document that was last in force on the whole fleet, in one file, for a start without etcd:
 *
 * <pre>
 *   "FOREBAYF" 2 | cluster | version | manifest | number of parts | length, text of each
 *   SHA-256 of all that
 * </pre>
 *
 * <p>The file is replaced atomically: after a loss of power it is the old or the new one. A file
 * that cannot be read, or is of another cluster, counts as missing, and the log says so.
 */
final class LastGoodDocument {
  private static final Logger LOG = LoggerFactory.getLogger(LastGoodDocument.class);
  private static final long MAGIC = 0x464f_5245_4241_5946L;
  private static final int FORMAT = 2;
  private static final int HASH_BYTES = 32;

  /** Bound of the file: incompressible files in base64, and their manifest. */
  private static final int MAX_BYTES = 26 << 20;

  private static final int MAX_PARTS = 2 * FleetDocument.MAX_FILES;

  private final Path directory;
  private final Path file;
  private final String cluster;

  LastGoodDocument(Path directory, String cluster) {
    this.cluster = cluster;
    this.directory = directory;
    this.file = directory.resolve("last-good");
  }

  /** A version with its files. */
  record Stored(long version, String manifest, FleetDocument document) {}

  void save(long version, FleetDocument document) throws IOException, FleetException {
    DocumentParts parts = DocumentParts.of(document);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeLong(MAGIC);
    out.writeInt(FORMAT);
    out.writeUTF(cluster);
    out.writeLong(version);
    out.writeUTF(parts.manifest());
    out.writeInt(parts.texts().size());
    for (String text : parts.texts().values()) {
      byte[] utf8 = DocumentParts.utf8(text);
      out.writeInt(utf8.length);
      out.write(utf8);
    }
    out.write(digest(bytes.toByteArray()));
    PrivateFiles.createDirectories(directory);
    FleetDirectory.write(file, bytes.toByteArray());
  }

  /** Deletes the file: the fleet has no document. */
  void delete() throws IOException {
    if (Files.deleteIfExists(file)) {
      PrivateFiles.forceNames(directory);
    }
  }

  /** The saved document; null where there is none or it cannot be used. */
  @Nullable Stored load() {
    try {
      return read(bytes());
    } catch (NoSuchFileException e) {
      return null;
    } catch (IOException | FleetException e) {
      LOG.error("{} cannot be used and is ignored: {}", file, String.valueOf(e.getMessage()));
      return null;
    }
  }

  private byte[] bytes() throws IOException {
    if (!PrivateFiles.exists(file)) {
      throw new NoSuchFileException(file.toString());
    }
    try (FileChannel in = PrivateFiles.openToRead(file)) {
      if (in.size() > MAX_BYTES) {
        throw new IOException("it is larger than " + MAX_BYTES + " bytes");
      }
      ByteBuffer buffer = ByteBuffer.allocate((int) in.size());
      while (buffer.hasRemaining()) {
        if (in.read(buffer) < 0) {
          throw new EOFException("it became shorter");
        }
      }
      return buffer.array();
    }
  }

  private Stored read(byte[] bytes) throws IOException, FleetException {
    int end = bytes.length - HASH_BYTES;
    if (end <= 0
        || !Arrays.equals(
            digest(Arrays.copyOf(bytes, end)), Arrays.copyOfRange(bytes, end, bytes.length))) {
      throw new IOException("its checksum does not fit");
    }
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes, 0, end));
    if (in.readLong() != MAGIC || in.readInt() != FORMAT) {
      throw new IOException("it is of another version of Forebay");
    }
    String of = in.readUTF();
    if (!of.equals(cluster)) {
      throw new IOException("it is of cluster " + Printable.shown(of, 100));
    }
    long version = in.readLong();
    String manifest = in.readUTF();
    int count = in.readInt();
    if (version < 1 || !DocumentParts.isHash(manifest) || count < 1 || count > MAX_PARTS) {
      throw new IOException("it has no document");
    }
    Map<String, String> parts = new HashMap<>();
    for (int i = 0; i < count; i++) {
      int length = in.readInt();
      if (length < 0 || length > in.available()) {
        throw new IOException("a part is longer than the file");
      }
      String text = new String(in.readNBytes(length), StandardCharsets.US_ASCII);
      parts.put(DocumentParts.hashOf(text), text);
    }
    return new Stored(version, manifest, DocumentParts.read(manifest, parts));
  }

  private static byte[] digest(byte[] bytes) {
    return HexFormat.of().parseHex(DocumentParts.hash(bytes));
  }
}
