package io.forebay.cli.bundle;

import io.forebay.cli.console.Output;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import tools.jackson.databind.JsonNode;

/**
 * The archive: a zip of texts, each redacted on its way in, with a manifest as its last entry. Its
 * file is new and its user's alone.
 */
final class Bundle implements AutoCloseable {
  /** Of one entry, in characters. */
  private static final int MAX_ENTRY = 8 << 20;

  /** Of all entries before compression. */
  private static final long MAX_BYTES = 64L << 20;

  private final Redactor redactor;
  private final int maxEntry;
  private final Path file;
  private final ZipOutputStream zip;
  private final Map<String, Object> facts;
  private final List<Map<String, Object>> files = new ArrayList<>();
  private final Map<String, String> missing = new LinkedHashMap<>();
  private final Map<String, String> absent = new LinkedHashMap<>();
  private long bytes;

  /**
   * Creates the file.
   *
   * @param facts that the manifest begins with
   */
  Bundle(Path file, Redactor redactor, Instant now, Map<String, Object> facts) throws IOException {
    this(file, redactor, now, facts, MAX_ENTRY);
  }

  /** With entries of fewer characters. */
  Bundle(Path file, Redactor redactor, Instant now, Map<String, Object> facts, int maxEntry)
      throws IOException {
    this.maxEntry = maxEntry;
    this.file = file;
    this.redactor = redactor;
    this.facts = new LinkedHashMap<>(facts);
    this.facts.put("made", now.toString());
    var channel =
        Files.newByteChannel(
            file,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    zip = new ZipOutputStream(Channels.newOutputStream(channel), StandardCharsets.UTF_8);
  }

  Path file() {
    return file;
  }

  void text(String name, String text) throws IOException {
    boolean isCut = text.length() > maxEntry;
    write(name, redactor.text(isCut ? text.substring(0, maxEntry) : text), isCut);
  }

  void json(String name, JsonNode node) throws IOException {
    String text = redactor.json(node);
    boolean isCut = text.length() > maxEntry;
    write(name, isCut ? text.substring(0, maxEntry) : text, isCut);
  }

  private void write(String name, String text, boolean isCut) throws IOException {
    byte[] content = text.getBytes(StandardCharsets.UTF_8);
    if (bytes + content.length > MAX_BYTES) {
      missing(name, "the bundle would be larger than " + (MAX_BYTES >> 20) + " MiB");
      return;
    }
    bytes += content.length;
    put(name, content);
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("name", name);
    entry.put("bytes", content.length);
    if (isCut) {
      entry.put("cut", true);
    }
    files.add(entry);
  }

  private void put(String name, byte[] content) throws IOException {
    zip.putNextEntry(new ZipEntry(name));
    zip.write(content);
    zip.closeEntry();
  }

  /** Something that should be there and could not be had. */
  void missing(String what, String why) {
    missing.put(what, redactor.text(why));
  }

  /** Something that this node does not have. */
  void absent(String what, String why) {
    absent.put(what, redactor.text(why));
  }

  /** What could not be had, and why. */
  Map<String, String> missing() {
    return missing;
  }

  @Override
  public void close() throws IOException {
    try (zip) {
      Map<String, Object> manifest = new LinkedHashMap<>(facts);
      manifest.put("files", files);
      manifest.put("missing", missing);
      manifest.put("absent", absent);
      JsonNode tree = Output.mapper().valueToTree(manifest);
      put("manifest.json", redactor.json(tree).getBytes(StandardCharsets.UTF_8));
    }
  }
}
