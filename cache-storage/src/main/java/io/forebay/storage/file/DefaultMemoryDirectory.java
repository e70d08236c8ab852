package io.forebay.storage.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds or creates the memory directory for a data directory whose configuration names none: a
 * directory with a random name on a tmpfs, accessible only to this user.
 *
 * <pre>
 *  DATA/memory.directory  ----------------->  /dev/shm/forebay-(32 hex digits)/
 *                         <-----------------      data.directory
 * </pre>
 *
 * Each file contains the path of the other directory, as one line. The first leads the next start
 * to its tier; the second identifies tiers whose data directory is gone. The caller owns the lock
 * of the data directory; one thread.
 */
public final class DefaultMemoryDirectory {
  /** In the data directory: the path of the memory directory. */
  public static final String RECORD = "memory.directory";

  /** In the memory directory: the path of the data directory. */
  static final String MARK = "data.directory";

  private static final Logger LOG = LoggerFactory.getLogger(DefaultMemoryDirectory.class);
  private static final String PREFIX = "forebay-";
  private static final Pattern NAME = Pattern.compile("forebay-[0-9a-f]{32}");
  private static final int MAX_LINE = 8192;
  private static final int NAME_BYTES = 16;

  private static final Path DEFAULT_ROOT = Path.of("/dev/shm");

  private final Path root;
  private final RandomGenerator random;

  /**
   * @param root where memory directories are made
   * @param random hard to guess
   */
  public DefaultMemoryDirectory(Path root, RandomGenerator random) {
    this.root = root;
    this.random = random;
  }

  /** Those of this machine. */
  public static DefaultMemoryDirectory system() {
    return new DefaultMemoryDirectory(DEFAULT_ROOT, new SecureRandom());
  }

  /**
   * The directory that the data directory's record names, or that an earlier version made for it; a
   * fresh one where there is none, or where another user may have touched it.
   */
  public Path take(Path data) throws IOException {
    if (!Files.isDirectory(root)) {
      throw new IOException("there is no " + root);
    }
    boolean isRecorded = PrivateFiles.check(data.resolve(RECORD));
    Path recorded = isRecorded ? recorded(data) : null;
    if (recorded != null && PrivateFiles.exists(recorded)) {
      String problem = problem(recorded, data);
      if (problem == null) {
        write(recorded.resolve(MARK), data.toRealPath());
        return recorded;
      }
      LOG.warn(
          "{} is not used: {}. A new memory directory replaces it, and the memory tier opens"
              + " empty",
          recorded,
          problem);
    } else if (recorded == null) {
      Path moved = takeOver(data);
      if (moved != null) {
        return moved;
      }
    }
    return fresh(data);
  }

  /** Makes a new directory and records it. */
  public Path fresh(Path data) throws IOException {
    Path made = null;
    while (made == null) {
      Path candidate = root.resolve(randomName());
      try {
        PrivateFiles.createDirectory(candidate);
        made = candidate;
      } catch (FileAlreadyExistsException e) {
        LOG.debug("{} exists", candidate);
      }
    }
    boolean done = false;
    try {
      // mkdir follows no link and takes no directory that exists; this is for a umask or an ACL
      // that left something else than was asked for.
      String problem = PrivateFiles.problem(made);
      if (problem != null) {
        throw new IOException(made + " cannot be used: " + problem);
      }
      record(made, data);
      done = true;
      return made;
    } finally {
      if (!done) {
        remove(made);
      }
    }
  }

  /**
   * What the data directory records; null where it records nothing that this class could have
   * written.
   */
  public @Nullable Path recorded(Path data) {
    String line = line(data.resolve(RECORD));
    Path path = line == null ? null : Path.of(line);
    return path != null
            && root.equals(path.getParent())
            && NAME.matcher(Objects.requireNonNull(path.getFileName()).toString()).matches()
        ? path
        : null;
  }

  /** Where the tier of a data directory at rest lies; null where there is none. */
  public @Nullable Path find(Path data) throws IOException {
    Path recorded = recorded(data);
    Path found = recorded == null ? earlier(data) : recorded;
    return Files.isDirectory(found, LinkOption.NOFOLLOW_LINKS) ? found : null;
  }

  /** The memory directories of this user, each with a mark that names its data directory. */
  public List<Path> directories() throws IOException {
    List<Path> own = new ArrayList<>();
    if (Files.isDirectory(root)) {
      for (Path one : files(root)) {
        if (NAME.matcher(Objects.requireNonNull(one.getFileName()).toString()).matches()
            && PrivateFiles.problem(one) == null
            && owner(one) != null) {
          own.add(one);
        }
      }
    }
    return own;
  }

  /** The data directory that a memory directory was made for; null where it does not say. */
  public @Nullable Path owner(Path directory) {
    String marked = line(directory.resolve(MARK));
    return marked == null ? null : Path.of(marked);
  }

  /** Removes a memory directory with its files, and the record that names it. */
  public void forget(Path directory, Path data) throws IOException {
    if (directory.equals(recorded(data))) {
      Files.deleteIfExists(data.resolve(RECORD));
    }
    remove(directory);
  }

  /** Earlier versions derived the name from the data directory's, so it was predictable. */
  private Path earlier(Path data) throws IOException {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(data.toRealPath().toString().getBytes(StandardCharsets.UTF_8));
      return root.resolve(PREFIX + HexFormat.of().formatHex(digest, 0, 8));
    } catch (NoSuchAlgorithmException e) {
      throw new IOException(e);
    }
  }

  /** Gives the directory of an earlier version its new name; null where there is none to trust. */
  private @Nullable Path takeOver(Path data) throws IOException {
    Path earlier = earlier(data);
    if (!PrivateFiles.exists(earlier)) {
      return null;
    }
    String problem = problem(earlier, data);
    if (problem != null) {
      LOG.warn("{} is not used: {}", earlier, problem);
      return null;
    }
    Path moved = root.resolve(randomName());
    Files.move(earlier, moved, StandardCopyOption.ATOMIC_MOVE);
    record(moved, data);
    return moved;
  }

  /** Why a directory is not to be used, or null. Tightens modes on the way. */
  private @Nullable String problem(Path directory, Path data) throws IOException {
    String problem = PrivateFiles.problem(directory);
    if (problem != null) {
      return problem;
    }
    for (Path file : files(directory)) {
      try {
        boolean ignored = PrivateFiles.check(file);
      } catch (IOException e) {
        return String.valueOf(e.getMessage());
      }
    }
    String marked = line(directory.resolve(MARK));
    return marked != null && claims(Path.of(marked), directory) && !isSame(Path.of(marked), data)
        ? "it belongs to the data directory " + marked
        : null;
  }

  /** Whether a data directory exists and names this memory directory. */
  private boolean claims(Path data, Path directory) {
    return directory.equals(recorded(data));
  }

  private static boolean isSame(Path one, Path other) throws IOException {
    return Files.exists(one) && Files.isSameFile(one, other);
  }

  /** The mark first: a directory without a record is found by it. */
  private static void record(Path directory, Path data) throws IOException {
    write(directory.resolve(MARK), data.toRealPath());
    write(data.resolve(RECORD), directory);
  }

  private String randomName() {
    byte[] name = new byte[NAME_BYTES];
    random.nextBytes(name);
    return PREFIX + HexFormat.of().formatHex(name);
  }

  private static void write(Path file, Path path) throws IOException {
    Path made = file.resolveSibling(file.getFileName() + ".new");
    try (FileChannel out = PrivateFiles.createNew(made)) {
      ByteBuffer line = ByteBuffer.wrap((path + "\n").getBytes(StandardCharsets.UTF_8));
      while (line.hasRemaining()) {
        out.write(line);
      }
    }
    Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /** The one line of a file; null where it can't be read or is none of ours. */
  private static @Nullable String line(Path file) {
    try (FileChannel in = PrivateFiles.openToRead(file)) {
      ByteBuffer bytes = ByteBuffer.allocate(MAX_LINE);
      while (bytes.hasRemaining() && in.read(bytes) >= 0) {
        Thread.onSpinWait();
      }
      String text = StandardCharsets.UTF_8.decode(bytes.flip()).toString();
      return text.startsWith("/")
              && text.indexOf('\n') == text.length() - 1
              && text.indexOf('\0') < 0
          ? text.substring(0, text.length() - 1)
          : null;
    } catch (NoSuchFileException e) {
      return null;
    } catch (IOException e) {
      LOG.warn("{} is not used: {}", file, e.toString());
      return null;
    }
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.toList();
    }
  }

  /** Removes a directory and the files in it. Links in it are removed and not followed. */
  public static void remove(Path directory) throws IOException {
    for (Path file : files(directory)) {
      Files.deleteIfExists(file);
    }
    Files.deleteIfExists(directory);
  }
}
