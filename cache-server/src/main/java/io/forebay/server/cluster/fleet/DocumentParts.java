package io.forebay.server.cluster.fleet;

import io.forebay.server.cluster.fleet.FleetDocument.File;
import io.forebay.server.json.AdminError;
import io.forebay.server.json.InputProblems;
import io.forebay.server.json.Json;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A document as values of etcd:
 *
 * <pre>
 *   file ── pieces of at most 376KiB ── zlib ── base64 ──▶ a part of at most 512KiB, by the SHA-256
 *                                                          of the piece
 *   names, sizes and hashes of all files ──▶ manifest, which is a part, too
 * </pre>
 *
 * <p>A file that does not change has the same parts in each version. A reader checks each part
 * against its hash, and unpacks at most the size of a piece.
 */
public final class DocumentParts {
  /** Bound of a value of etcd. */
  public static final int MAX_PART_LENGTH = 512 << 10;

  /** Bound of a piece: in base64 it fits into a part even if zlib cannot shrink it. */
  static final int MAX_PIECE_BYTES = 376 << 10;

  private static final int HASH_LENGTH = 64;

  private final String manifest;
  private final Map<String, String> texts;

  private DocumentParts(String manifest, Map<String, String> texts) {
    this.manifest = manifest;
    this.texts = texts;
  }

  /** Splits a document into parts. */
  public static DocumentParts of(FleetDocument document) throws FleetException {
    Map<String, String> texts = new LinkedHashMap<>();
    ObjectNode manifest = Json.object().put("v", 1);
    ArrayNode files = manifest.putArray("files");
    for (File file : document.files()) {
      ObjectNode entry =
          files.addObject().put("name", file.name()).put("size", file.content().length);
      ArrayNode parts = entry.putArray("parts");
      for (int from = 0; from < file.content().length; from += MAX_PIECE_BYTES) {
        int to = Math.min(file.content().length, from + MAX_PIECE_BYTES);
        parts.add(add(texts, Arrays.copyOfRange(file.content(), from, to)));
      }
    }
    byte[] bytes = Json.bytes(manifest);
    if (bytes.length > MAX_PIECE_BYTES) {
      throw FleetException.wrong("the names of the document's files are too long together");
    }
    return new DocumentParts(add(texts, bytes), texts);
  }

  private static String add(Map<String, String> texts, byte[] piece) {
    String hash = hash(piece);
    texts.computeIfAbsent(hash, any -> pack(piece));
    return hash;
  }

  /** The hash of the manifest. */
  public String manifest() {
    return manifest;
  }

  /** All parts by their hashes, each once. */
  public Map<String, String> texts() {
    return texts;
  }

  // --- reading ----------------------------------------------------------------------------------

  /**
   * The content of a manifest.
   *
   * @param parts of all files
   */
  record Listing(List<Entry> entries, List<String> parts) {
    record Entry(String name, int size, List<String> parts) {}
  }

  /**
   * Reads a document from its parts; refuses it if a part is missing or does not fit.
   *
   * @param parts by their hashes
   */
  static FleetDocument read(String manifest, Map<String, String> parts) throws FleetException {
    Listing listing = listing(piece(manifest, parts));
    List<File> files = new ArrayList<>();
    for (Listing.Entry entry : listing.entries()) {
      byte[] content = new byte[entry.size()];
      int at = 0;
      for (String hash : entry.parts()) {
        byte[] piece = piece(hash, parts);
        int expected = Math.min(MAX_PIECE_BYTES, content.length - at);
        if (piece.length != expected) {
          throw FleetException.wrong(
              "a part of "
                  + entry.name()
                  + " has "
                  + piece.length
                  + " bytes in place of "
                  + expected);
        }
        System.arraycopy(piece, 0, content, at, piece.length);
        at += piece.length;
      }
      files.add(new File(entry.name(), content));
    }
    return FleetDocument.of(files);
  }

  /** The files of a manifest. Their number and sizes are checked before any of them is read. */
  static Listing listing(byte[] manifest) throws FleetException {
    ObjectNode object;
    try {
      object = Json.object(manifest);
    } catch (AdminError e) {
      throw FleetException.wrong("the manifest cannot be read: " + e.text());
    }
    InputProblems problems = new InputProblems();
    List<Listing.Entry> entries = new ArrayList<>();
    List<String> all = new ArrayList<>();
    long bytes = 0;
    for (ObjectNode file : Json.objects(object, "files", problems)) {
      String name = Json.text(file, "name", 255, problems);
      double size = Json.number(file, "size", -1, 0, FleetDocument.MAX_BYTES, problems);
      List<String> parts = Json.texts(file, "parts", HASH_LENGTH, problems);
      if (name == null || size < 0 || size != Math.rint(size)) {
        problems.add("a file has no name or no size");
        continue;
      }
      long expected = ((long) size + MAX_PIECE_BYTES - 1) / MAX_PIECE_BYTES;
      if (parts.size() != expected || !parts.stream().allMatch(DocumentParts::isHash)) {
        problems.add("a file has not the parts that its size needs");
      }
      bytes += (long) size;
      entries.add(new Listing.Entry(name, (int) size, parts));
      all.addAll(parts);
    }
    if (!problems.isEmpty()) {
      throw FleetException.wrong("the manifest is wrong: " + problems.getFirst());
    }
    FleetDocument.checkNames(entries.stream().map(Listing.Entry::name).toList());
    FleetDocument.checkSize(bytes);
    return new Listing(entries, all);
  }

  static boolean isHash(String text) {
    return text.matches("[0-9a-f]{64}");
  }

  static byte[] piece(String hash, Map<String, String> parts) throws FleetException {
    @Nullable String text = parts.get(hash);
    if (text == null) {
      throw FleetException.wrong("part " + hash + " is missing");
    }
    byte[] piece = unpack(text);
    if (!hash(piece).equals(hash)) {
      throw FleetException.wrong("part " + hash + " has other content than its hash says");
    }
    return piece;
  }

  /** The hash of the content of a part. */
  static String hashOf(String text) throws FleetException {
    return hash(unpack(text));
  }

  // --- coding -----------------------------------------------------------------------------------

  private static String pack(byte[] piece) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION)) {
      deflater.setInput(piece);
      deflater.finish();
      byte[] buffer = new byte[16 << 10];
      while (!deflater.finished()) {
        packed.write(buffer, 0, deflater.deflate(buffer));
      }
    }
    return Base64.getEncoder().encodeToString(packed.toByteArray());
  }

  private static byte[] unpack(String text) throws FleetException {
    if (text.length() > MAX_PART_LENGTH) {
      throw FleetException.wrong("a part is longer than 512KiB");
    }
    byte[] piece = new byte[MAX_PIECE_BYTES + 1];
    try (Inflater inflater = new Inflater()) {
      inflater.setInput(Base64.getDecoder().decode(text));
      int length = 0;
      while (!inflater.finished()) {
        int more = inflater.inflate(piece, length, piece.length - length);
        length += more;
        if (length > MAX_PIECE_BYTES) {
          throw FleetException.wrong("a part unpacks to more than " + MAX_PIECE_BYTES + " bytes");
        }
        if (more == 0 && !inflater.finished()) {
          throw FleetException.wrong("a part is truncated");
        }
      }
      if (inflater.getRemaining() > 0) {
        throw FleetException.wrong("a part has bytes behind its end");
      }
      return Arrays.copyOf(piece, length);
    } catch (DataFormatException | IllegalArgumentException e) {
      throw FleetException.wrong("a part is no zlib in base64");
    }
  }

  static String hash(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
