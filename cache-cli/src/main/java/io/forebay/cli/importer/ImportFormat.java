package io.forebay.cli.importer;

import io.forebay.cli.importer.caddy.CaddyImport;
import io.forebay.cli.importer.model.ConfigDraft;
import io.forebay.cli.importer.model.ImportException;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.nginx.NginxImport;
import io.forebay.cli.importer.trafficserver.TrafficServerImport;
import io.forebay.cli.importer.vcl.VclImport;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A program whose configuration can be imported: what {@code --from} calls it, and its files. */
enum ImportFormat {
  // The first one whose file names match is chosen; nginx has all other names.
  VCL(".*\\.vcl", VclImport::read),
  TRAFFICSERVER(".*remap.*\\.config", TrafficServerImport::read),
  CADDY("Caddyfile.*|.*\\.(caddy|caddyfile)", CaddyImport::read),
  NGINX(".*", NginxImport::read);

  /** Reads a file of the format into a draft, with a verdict for each statement. */
  @FunctionalInterface
  interface Reader {
    void read(Path file, Path directory, ImportReport report, ConfigDraft draft)
        throws ImportException;
  }

  private final Pattern fileNames;

  @SuppressWarnings("ImmutableEnumChecker") // A method.
  private final Reader reader;

  ImportFormat(String fileNames, Reader reader) {
    this.fileNames = Pattern.compile(fileNames, Pattern.CASE_INSENSITIVE);
    this.reader = reader;
  }

  /** The format that a file's name tells. */
  static ImportFormat of(Path file) {
    Path name = file.getFileName();
    String text = name == null ? "" : name.toString();
    for (ImportFormat each : values()) {
      if (each.fileNames.matcher(text).matches()) {
        return each;
      }
    }
    return NGINX;
  }

  /** The format of that name, or null. */
  static @Nullable ImportFormat named(String name) {
    return Arrays.stream(values())
        .filter(each -> each.toString().equals(name))
        .findFirst()
        .orElse(null);
  }

  /** The names of all formats, for people. */
  static String names() {
    return Arrays.stream(values()).map(ImportFormat::toString).collect(Collectors.joining(", "));
  }

  /**
   * Reads a file and what it includes.
   *
   * @param directory what relative names of includes begin at
   * @throws ImportException where it is no file of this format
   */
  void read(Path file, Path directory, ImportReport report, ConfigDraft draft)
      throws ImportException {
    reader.read(file, directory, report, draft);
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
