package io.forebay.server.config;

import io.forebay.server.config.ConfigText.Included;
import io.forebay.server.rule.Glob;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Where the text of configuration files comes from: the file system, or what was accepted once. */
interface ConfigFiles {
  int MAX_FILE_BYTES = 1 << 20;

  /**
   * The text of a file.
   *
   * @throws IOException with a message for an operator
   */
  String read(Path file) throws IOException;

  /** What tells whether two paths are the same file. */
  Path identity(Path file) throws IOException;

  /**
   * The files of a directory whose name matches, in the order of their names.
   *
   * @param max of them; more may be left out
   */
  List<Path> matching(Path directory, String glob, int max) throws IOException;

  /** Those of the machine. */
  ConfigFiles SYSTEM =
      new ConfigFiles() {
        @Override
        public String read(Path file) throws IOException {
          try {
            if (Files.size(file) > MAX_FILE_BYTES) {
              throw new IOException("larger than 1MiB");
            }
            String text = Files.readString(file);
            return text.startsWith("\uFEFF") ? text.substring(1) : text;
          } catch (NoSuchFileException e) {
            throw new IOException("no such file", e);
          } catch (AccessDeniedException e) {
            throw new IOException("permission denied", e);
          } catch (CharacterCodingException e) {
            throw new IOException("not UTF-8", e);
          }
        }

        @Override
        public Path identity(Path file) throws IOException {
          return file.toRealPath();
        }

        @Override
        public List<Path> matching(Path directory, String glob, int max) throws IOException {
          try (Stream<Path> all = Files.list(directory)) {
            return named(all, glob).filter(file -> !Files.isDirectory(file)).limit(max).toList();
          } catch (NoSuchFileException | NotDirectoryException e) {
            throw new IOException("no such directory", e);
          } catch (AccessDeniedException e) {
            throw new IOException("permission denied", e);
          }
        }
      };

  /** Only files that were accepted once, with the text that they had then. */
  static ConfigFiles of(List<Included> accepted) {
    Map<Path, String> texts = new LinkedHashMap<>();
    accepted.forEach(file -> texts.put(Path.of(file.file()), file.text()));
    return new ConfigFiles() {
      @Override
      public String read(Path file) throws IOException {
        String text = texts.get(identity(file));
        if (text == null) {
          throw new IOException("no such file was accepted");
        }
        return text;
      }

      @Override
      public Path identity(Path file) {
        return absolute(file);
      }

      @Override
      public List<Path> matching(Path directory, String glob, int max) {
        Path absolute = absolute(directory);
        return named(
                texts.keySet().stream()
                    .filter(file -> absolute.equals(file.getParent()))
                    .map(file -> directory.resolve(file.getFileName())),
                glob)
            .limit(max)
            .toList();
      }
    };
  }

  /** A path by which an accepted file is known. */
  static Path absolute(Path file) {
    return file.toAbsolutePath().normalize();
  }

  /** Hidden files are not matched by a pattern that does not name them. */
  private static Stream<Path> named(Stream<Path> files, String glob) {
    Glob pattern = Glob.of(glob);
    return files
        .filter(file -> {
          String name = String.valueOf(file.getFileName());
          return pattern.matches(name) && (glob.startsWith(".") || !name.startsWith("."));
        })
        .sorted(Comparator.comparing(file -> String.valueOf(file.getFileName())));
  }
}
