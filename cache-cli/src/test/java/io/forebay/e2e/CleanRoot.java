package io.forebay.e2e;

import io.forebay.testing.Commands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A Debian system in a directory: the essential packages and what else is named, with what these
 * depend on, from the files of the machine's own packages, and a database of dpkg that knows of
 * nothing else. Of root only.
 */
final class CleanRoot {
  private final Path root;

  private CleanRoot(Path root) {
    this.root = root;
  }

  static CleanRoot make(Path root, String... packages) throws IOException, InterruptedException {
    CleanRoot made = new CleanRoot(Files.createDirectories(root));
    made.fill(closure(List.of(packages)));
    return made;
  }

  /** Packages by name, without alternatives that are not installed. */
  private static List<String> closure(List<String> named) throws IOException, InterruptedException {
    Map<String, String> depends = new HashMap<>();
    Deque<String> open = new ArrayDeque<>(named);
    String all =
        Commands.run(
                "dpkg-query",
                "--show",
                "--showformat=${Package}\t${Essential}\t${Pre-Depends}, ${Depends}\n")
            .orFail()
            .out();
    for (String line : all.lines().toList()) {
      String[] fields = line.split("\t", -1);
      depends.put(fields[0], fields[2]);
      if (fields[1].equals("yes")) {
        open.add(fields[0]);
      }
    }
    Set<String> found = new TreeSet<>();
    while (!open.isEmpty()) {
      String name = open.remove();
      String needed = depends.get(name);
      if (needed == null || !found.add(name)) {
        continue;
      }
      for (String one : needed.split("[,|]", -1)) {
        open.add(one.strip().replaceAll("[ :(].*", ""));
      }
    }
    return List.copyOf(found);
  }

  private void fill(List<String> packages) throws IOException, InterruptedException {
    for (String merged : List.of("bin", "sbin", "lib", "lib64")) {
      Files.createDirectories(root.resolve("usr").resolve(merged));
      Files.createSymbolicLink(root.resolve(merged), Path.of("usr", merged));
    }
    List<String> listing = new ArrayList<>(List.of("dpkg-query", "--listfiles"));
    listing.addAll(packages);
    Path list = root.resolve("list");
    Files.write(
        list,
        Commands.run(listing.toArray(String[]::new))
            .orFail()
            .out()
            .lines()
            .filter(file -> file.startsWith("/") && !file.equals("/."))
            .filter(file -> !file.matches("/usr/share/(doc|man|locale|info)/.*"))
            .filter(file -> Files.exists(Path.of(file)))
            .map(file -> file.substring(1))
            .toList());
    shell(
        "tar -C / --no-recursion -cf - -T '"
            + list
            + "' | tar -C '"
            + root
            + "' --keep-directory-symlink -xf -");
    Files.delete(list);
    if (!Files.exists(root.resolve("bin/sh"))) {
      Files.createSymbolicLink(root.resolve("bin/sh"), Path.of("dash"));
    }
    for (String file : List.of("passwd", "group")) {
      Files.copy(
          root.resolve("usr/share/base-passwd/" + file + ".master"), root.resolve("etc/" + file));
    }
    for (var device : Map.of("null", "3", "zero", "5", "random", "8", "urandom", "9").entrySet()) {
      Path file = root.resolve("dev/" + device.getKey());
      Commands.run("mknod", "-m", "666", file.toString(), "c", "1", device.getValue()).orFail();
    }
    Files.createDirectories(root.resolve("dev/shm"));
    Path database = Files.createDirectories(root.resolve("var/lib/dpkg"));
    Files.createDirectories(database.resolve("updates"));
    Files.createDirectories(database.resolve("triggers"));
    Path info = Files.createDirectories(database.resolve("info"));
    List<String> status = new ArrayList<>(List.of("dpkg-query", "--status"));
    status.addAll(packages);
    Files.writeString(
        database.resolve("status"), Commands.run(status.toArray(String[]::new)).orFail().out());
    try (Stream<Path> files = Files.list(Path.of("/var/lib/dpkg/info"))) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        if (name.endsWith(".list") && packages.contains(name.replaceAll("(:.*)?\\.list$", ""))) {
          Files.copy(file, info.resolve(name));
        }
      }
    }
    Commands.run("ldconfig", "-r", root.toString()).orFail();
  }

  private static void shell(String line) throws IOException, InterruptedException {
    Commands.run("bash", "-o", "pipefail", "-c", line).orFail();
  }

  Path file(String path) {
    return root.resolve(path.substring(1));
  }

  Commands.Finished dpkg(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("dpkg", "--root=" + root));
    command.addAll(List.of(arguments));
    return Commands.run(command.toArray(String[]::new));
  }

  /** The command that runs a line of its shell as a user, with the machine's {@code /proc}. */
  List<String> command(String user, String line) {
    return List.of(
        "unshare",
        "--mount",
        "sh",
        "-ec",
        "mount --bind /proc \"$0/proc\"; mount -t tmpfs -o mode=1777 tmpfs \"$0/dev/shm\";"
            + " mount -t tmpfs -o mode=1777 tmpfs \"$0/tmp\";"
            + " exec chroot --userspec=\"$1:$1\" \"$0\" /bin/sh -c \"exec $2\"",
        root.toString(),
        user,
        line);
  }

  Commands.Finished run(String user, String line) throws IOException, InterruptedException {
    return Commands.run(command(user, line).toArray(String[]::new));
  }

  /** All files and links but the records of dpkg and the copies that the tools of users keep. */
  Map<String, String> contents() throws IOException {
    Map<String, String> contents = new TreeMap<>();
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.toList()) {
        String path = "/" + root.relativize(file);
        if (!path.matches("/(var/lib/dpkg(/.*)?|var/log/dpkg\\.log|etc/(\\.pwd\\.lock|[a-z]+-))")) {
          contents.put(
              path,
              Files.isSymbolicLink(file)
                  ? Files.readSymbolicLink(file).toString()
                  : Files.isRegularFile(file) ? Long.toString(Files.size(file)) : "");
        }
      }
    }
    return contents;
  }
}
