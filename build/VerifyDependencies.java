import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Compares the jars of a module's class path with a file of their SHA-256 sums, in the format of
 * {@code sha256sum}. Run by the build before anything is compiled:
 *
 * <pre>
 *   VerifyDependencies verify|write SUMS CLASSPATH
 * </pre>
 *
 * <p>{@code verify} fails where a jar is not listed or has another sum. {@code write} adds jars that
 * are not listed, and fails where a listed one has another sum: a released artifact never changes.
 */
final class VerifyDependencies {

  private VerifyDependencies() {}

  public static void main(String[] args) throws IOException {
    boolean write = args[0].equals("write");
    Path sums = Path.of(args[1]);
    Map<String, String> known = read(sums);
    List<String> problems = new ArrayList<>();
    int jars = 0;
    for (String entry : args[2].split(File.pathSeparator)) {
      Path jar = Path.of(entry);
      if (!isDependency(jar)) {
        continue;
      }
      jars++;
      String name = jar.getFileName().toString();
      String sum = sha256(jar);
      String expected = write ? known.putIfAbsent(name, sum) : known.get(name);
      if (expected == null && !write) {
        problems.add(name + " is not listed");
      } else if (expected != null && !expected.equals(sum)) {
        problems.add(name + " has the SHA-256 " + sum + ", listed is " + expected);
      }
    }
    if (jars == 0) {
      problems.add("the class path names no jar");
    }
    if (!problems.isEmpty()) {
      problems.forEach(problem -> System.err.println(sums.getFileName() + ": " + problem));
      System.err.println(
          "A new dependency is added by: mvn -q compile -Ddependencies.checksums=write");
      System.exit(1);
    }
    if (write) {
      Files.write(sums, known.entrySet().stream().map(e -> e.getValue() + "  " + e.getKey()).toList());
    }
  }

  /** Modules of this build stand on the class path, too: as classes, in target, or installed. */
  private static boolean isDependency(Path entry) {
    return entry.toString().endsWith(".jar")
        && !entry.getParent().endsWith("target")
        && !entry.toString().contains("/io/forebay/");
  }

  private static Map<String, String> read(Path sums) throws IOException {
    Map<String, String> known = new TreeMap<>();
    if (Files.exists(sums)) {
      for (String line : Files.readAllLines(sums)) {
        String[] parts = line.split("  ", 2);
        known.put(parts[1], parts[0]);
      }
    }
    return known;
  }

  private static String sha256(Path file) {
    try (InputStream in = Files.newInputStream(file);
        DigestInputStream digest = new DigestInputStream(in, MessageDigest.getInstance("SHA-256"))) {
      digest.transferTo(OutputStream.nullOutputStream());
      return HexFormat.of().formatHex(digest.getMessageDigest().digest());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
