package io.forebay.e2e.imported;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** Files for other servers that others wrote; {@code .ci/real-files} puts them where this looks. */
final class RealFiles {
  static final Path PLACE = Path.of("..", ".tools", "real-files");

  private RealFiles() {}

  /**
   * One file.
   *
   * @param name its package and its path in it
   */
  record RealFile(String name, String text) {}

  /** All that are there for a program, by name. */
  static List<RealFile> of(String program) throws IOException {
    Path root = PLACE.resolve(program);
    List<RealFile> all = new ArrayList<>();
    if (!Files.isDirectory(root)) {
      return all;
    }
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        String name = root.relativize(file).toString();
        String text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        if (name.endsWith(".5.gz")) {
          all.addAll(examples(name, unpacked(file)));
        } else {
          all.add(new RealFile(name, text.replaceFirst("(?s)\n----------\n.*", "\n")));
        }
      }
    }
    return all;
  }

  private static String unpacked(Path file) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
      in.transferTo(all);
    }
    return all.toString(StandardCharsets.ISO_8859_1);
  }

  /** The examples of a manual page that have a rule of Traffic Server. */
  private static List<RealFile> examples(String name, String page) {
    List<RealFile> all = new ArrayList<>();
    Matcher block = Pattern.compile("(?s)\n\\.nf\n\\.ft C\n(.*?)\n\\.ft P\n\\.fi").matcher(page);
    while (block.find()) {
      String text =
          block
              .group(1)
              .replace("\\-", "-")
              .replace("\\(aq", "'")
              .replace("\\(dq", "\"")
              .replace("\\&", "")
              .replace("\\e", "\\")
              .replaceAll("(?m)^\\.sp$", "");
      if (Pattern.compile("(?m)^\\s*(regex_)?(map|redirect)\\w*\\s").matcher(text).find()) {
        all.add(new RealFile(name + " " + (all.size() + 1), text + "\n"));
      }
    }
    return all;
  }
}
