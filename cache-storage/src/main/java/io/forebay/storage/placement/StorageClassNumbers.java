package io.forebay.storage.placement;

import io.forebay.storage.file.PrivateFiles;
import io.forebay.storage.layout.DirectoryEntry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which number records have of which class: a file of lines such as {@code 3 video} in the data
 * directory. A name keeps its number, also while no configuration has it, so records of before a
 * restart are not taken for those of another class.
 */
public final class StorageClassNumbers {
  private static final String FILE = "storage.classes";
  private static final String FIRST_LINE = "forebay storage classes 1";
  private static final int MAX_BYTES = 64 << 10;

  private final @Nullable Path directory;
  private Map<String, Integer> byName;
  private final boolean isSound;

  private StorageClassNumbers(
      @Nullable Path directory, Map<String, Integer> byName, boolean isSound) {
    this.directory = directory;
    this.byName = byName;
    this.isSound = isSound;
  }

  /** Kept in no file. */
  static StorageClassNumbers unnamed() {
    return new StorageClassNumbers(null, Map.of(), true);
  }

  /** The numbers of a data directory. A file that can't be read counts as none. */
  public static StorageClassNumbers read(Path directory) {
    Path file = directory.resolve(FILE);
    if (!Files.exists(file)) {
      return new StorageClassNumbers(directory, Map.of(), false);
    }
    try (FileChannel in = PrivateFiles.openToRead(file)) {
      ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES);
      while (bytes.hasRemaining() && in.read(bytes) >= 0) {
        Thread.onSpinWait();
      }
      Map<String, Integer> read = parse(StandardCharsets.US_ASCII.decode(bytes.flip()).toString());
      return new StorageClassNumbers(directory, read == null ? Map.of() : read, read != null);
    } catch (IOException e) {
      return new StorageClassNumbers(directory, Map.of(), false);
    }
  }

  private static @Nullable Map<String, Integer> parse(String text) {
    List<String> lines = text.lines().toList();
    if (!text.endsWith("\n") || lines.isEmpty() || !lines.getFirst().equals(FIRST_LINE)) {
      return null;
    }
    Map<String, Integer> read = new LinkedHashMap<>();
    for (String line : lines.subList(1, lines.size())) {
      int blank = line.indexOf(' ');
      if (blank < 1 || blank > 2 || !line.substring(0, blank).matches("\\d+")) {
        return null;
      }
      int number = Integer.parseInt(line.substring(0, blank));
      String name = line.substring(blank + 1);
      if (number < 1
          || number > DirectoryEntry.MAX_CLASS
          || name.isBlank()
          || read.containsValue(number)
          || read.put(name, number) != null) {
        return null;
      }
    }
    return read;
  }

  /** Whether the file was there and says which number is whose. */
  public boolean isSound() {
    return isSound;
  }

  synchronized Map<String, Integer> byName() {
    return Map.copyOf(byName);
  }

  /** Gives numbers to names that have none yet. */
  synchronized void assign(List<String> names) throws IOException {
    Map<String, Integer> next = new LinkedHashMap<>(byName);
    for (String name : names) {
      if (!next.containsKey(name)) {
        int number = 1;
        while (next.containsValue(number)) {
          number++;
        }
        if (number > DirectoryEntry.MAX_CLASS) {
          throw new IOException(
              "no number is left for storage class "
                  + name
                  + ": "
                  + DirectoryEntry.MAX_CLASS
                  + " names were used so far. Reuse one of "
                  + String.join(", ", next.keySet())
                  + ", or start the node with an empty data directory");
        }
        next.put(name, number);
      }
    }
    if (next.size() > byName.size()) {
      write(next);
      byName = next;
    }
  }

  private void write(Map<String, Integer> numbers) throws IOException {
    Path place = directory;
    if (place == null) {
      return;
    }
    StringBuilder text = new StringBuilder(FIRST_LINE).append('\n');
    numbers.forEach((name, number) -> text.append(number).append(' ').append(name).append('\n'));
    Path made = place.resolve(FILE + ".new");
    Files.deleteIfExists(made);
    try (FileChannel out = PrivateFiles.createNew(made)) {
      ByteBuffer bytes = ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.US_ASCII));
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    }
    Files.move(made, place.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
    PrivateFiles.forceNames(place);
  }
}
