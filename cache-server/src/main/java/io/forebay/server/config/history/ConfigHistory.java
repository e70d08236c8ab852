package io.forebay.server.config.history;

import io.forebay.server.config.ConfigText;
import io.forebay.server.config.ConfigText.Included;
import io.forebay.server.text.Printable;
import io.forebay.storage.file.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The last {@value #MAX} accepted configurations of a node, each a file with the text, one with the
 * texts of included files if there are any, and a file that describes it. The description is
 * written last: without it there is no entry. Files have mode 0600, because configurations contain
 * secrets. The caller owns the lock of the data directory. Blocks for the file system; any thread.
 */
public final class ConfigHistory {
  /** Entries that are kept. */
  public static final int MAX = 50;

  private static final Logger LOG = LoggerFactory.getLogger(ConfigHistory.class);
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String DIRECTORY = "config-history";
  private static final String DESCRIPTION = ".json";
  private static final String TEXT = ".yaml";
  private static final String INCLUDED = ".included";
  private static final int MAX_TEXT_BYTES = 4 << 20;
  private static final int MAX_INCLUDED_BYTES = 64 << 20;
  private static final int MAX_DESCRIPTION_BYTES = 16 << 10;

  private final Path directory;
  private final List<AcceptedConfig> entries;

  private ConfigHistory(Path directory, List<AcceptedConfig> entries) {
    this.directory = directory;
    this.entries = entries;
  }

  /**
   * The history in a data directory. A description that cannot be understood is no entry, with a
   * line in the log.
   *
   * @throws IOException when the directory cannot be made or read
   */
  public static ConfigHistory open(Path data) throws IOException {
    Path directory = data.resolve(DIRECTORY);
    PrivateFiles.createDirectories(directory);
    List<AcceptedConfig> entries = new ArrayList<>();
    List<Path> files;
    try (Stream<Path> all = Files.list(directory)) {
      files = all.filter(file -> file.toString().endsWith(DESCRIPTION)).toList();
    }
    for (Path file : files) {
      try {
        entries.add(description(file));
      } catch (IOException | JacksonException | IllegalArgumentException | DateTimeException e) {
        LOG.warn("{} is damaged and ignored: {}", file, Printable.line(String.valueOf(e)));
      }
    }
    entries.sort(Comparator.comparingLong(AcceptedConfig::number));
    return new ConfigHistory(directory, entries);
  }

  private static AcceptedConfig description(Path file) throws IOException {
    JsonNode read = JSON.readTree(read(file, MAX_DESCRIPTION_BYTES));
    String name = file.getFileName().toString();
    AcceptedConfig entry =
        new AcceptedConfig(
            Long.parseLong(name.substring(0, name.length() - DESCRIPTION.length())),
            Instant.parse(read.path("time").asString("")),
            read.path("author").asString(""),
            read.path("hash").asString(""),
            read.path("file").asString(""),
            read.path("fleet").asLong(0));
    if (entry.number() <= 0 || !entry.hash().matches("[0-9a-f]{64}")) {
      throw new IllegalArgumentException("no description of a configuration");
    }
    return entry;
  }

  /**
   * Adds a configuration, unless it has the texts of the newest entry; forgets the oldest one
   * beyond {@value #MAX}. When this returns, a loss of power does not undo it.
   *
   * @param file that was read; empty for none
   * @param text of the file and of those that it includes
   * @return its entry
   */
  public synchronized AcceptedConfig add(String file, ConfigText text, String author, Instant time)
      throws IOException {
    byte[] bytes = text.main().getBytes(StandardCharsets.UTF_8);
    byte[] included = included(text.included());
    String hash = hash(bytes, included);
    if (!entries.isEmpty() && entries.getLast().hash().equals(hash)) {
      return entries.getLast();
    }
    long number = entries.isEmpty() ? 1 : entries.getLast().number() + 1;
    ConfigText.Fleet fleet = text.fleet();
    AcceptedConfig entry =
        new AcceptedConfig(number, time, author, hash, file, fleet == null ? 0 : fleet.version());
    ObjectNode description =
        JSON.createObjectNode()
            .put("time", time.toString())
            .put("author", entry.author())
            .put("hash", hash)
            .put("file", entry.file());
    if (fleet != null) {
      description.put("fleet", fleet.version()).put("fleetFile", fleet.file());
    }
    write(number + TEXT, bytes);
    // One that was left by a stop would be taken for a part of this entry.
    Files.deleteIfExists(directory.resolve(number + INCLUDED));
    if (included.length > 0) {
      write(number + INCLUDED, included);
    }
    write(number + DESCRIPTION, (description + "\n").getBytes(StandardCharsets.UTF_8));
    PrivateFiles.forceNames(directory);
    entries.add(entry);
    while (entries.size() > MAX) {
      long oldest = entries.removeFirst().number();
      Files.deleteIfExists(directory.resolve(oldest + DESCRIPTION));
      Files.deleteIfExists(directory.resolve(oldest + INCLUDED));
      Files.deleteIfExists(directory.resolve(oldest + TEXT));
    }
    return entry;
  }

  /** The number of the newest entry; 0 for none. */
  public synchronized long newest() {
    return entries.isEmpty() ? 0 : entries.getLast().number();
  }

  /** All entries, the oldest first. */
  public synchronized List<AcceptedConfig> entries() {
    return List.copyOf(entries);
  }

  /**
   * The texts of an entry's files.
   *
   * @throws NoSuchElementException when there is no such entry, in words for its operator
   * @throws IOException when it cannot be read or was changed
   */
  public synchronized ConfigText text(long number) throws IOException {
    AcceptedConfig entry =
        entries.stream()
            .filter(one -> one.number() == number)
            .findFirst()
            .orElseThrow(() ->
                new NoSuchElementException(
                    "no configuration has the number " + number + ": see config history"));
    Path file = file(number);
    byte[] bytes = read(file, MAX_TEXT_BYTES);
    Path more = directory.resolve(number + INCLUDED);
    byte[] included = Files.exists(more) ? read(more, MAX_INCLUDED_BYTES) : new byte[0];
    if (!hash(bytes, included).equals(entry.hash())) {
      throw new IOException(file + " is not what was accepted: its hash differs");
    }
    return new ConfigText(
        new String(bytes, StandardCharsets.UTF_8), included(included), fleet(entry));
  }

  private ConfigText.@Nullable Fleet fleet(AcceptedConfig entry) throws IOException {
    if (entry.fleet() == 0) {
      return null;
    }
    Path description = directory.resolve(entry.number() + DESCRIPTION);
    try {
      String file =
          JSON.readTree(read(description, MAX_DESCRIPTION_BYTES)).path("fleetFile").asString("");
      return new ConfigText.Fleet(file, entry.fleet());
    } catch (JacksonException e) {
      throw new IOException(description + " cannot be understood", e);
    }
  }

  /** As JSON: the files in their order, each with its path and text; nothing for none. */
  private static byte[] included(List<Included> files) {
    if (files.isEmpty()) {
      return new byte[0];
    }
    ArrayNode all = JSON.createArrayNode();
    files.forEach(file -> all.addObject().put("file", file.file()).put("text", file.text()));
    return (all + "\n").getBytes(StandardCharsets.UTF_8);
  }

  private static List<Included> included(byte[] json) throws IOException {
    List<Included> files = new ArrayList<>();
    try {
      for (JsonNode file : json.length == 0 ? JSON.createArrayNode() : JSON.readTree(json)) {
        files.add(new Included(file.path("file").asString(""), file.path("text").asString("")));
      }
    } catch (JacksonException e) {
      throw new IOException("included files cannot be understood", e);
    }
    return files;
  }

  /** Where the text of an entry's file is. */
  public Path file(long number) {
    return directory.resolve(number + TEXT);
  }

  private void write(String name, byte[] bytes) throws IOException {
    Path made = directory.resolve(name + ".new");
    try (FileChannel out = PrivateFiles.createNew(made)) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      while (buffer.hasRemaining()) {
        out.write(buffer);
      }
      out.force(true);
    }
    Files.move(made, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
  }

  private static byte[] read(Path file, int maxBytes) throws IOException {
    try (FileChannel in = PrivateFiles.openToRead(file)) {
      if (in.size() > maxBytes) {
        throw new IOException(file + " is larger than " + maxBytes + " bytes");
      }
      ByteBuffer buffer = ByteBuffer.allocate((int) in.size());
      while (buffer.hasRemaining() && in.read(buffer) >= 0) {
        Thread.onSpinWait();
      }
      byte[] bytes = new byte[buffer.flip().remaining()];
      buffer.get(bytes);
      return bytes;
    }
  }

  private static String hash(byte[] text, byte[] included) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(text);
      return HexFormat.of().formatHex(digest.digest(included));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
