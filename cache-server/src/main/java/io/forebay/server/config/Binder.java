package io.forebay.server.config;

import io.forebay.server.config.ConfigValues.Raw;
import io.forebay.server.text.Printable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads values by key path as their types, and records their sources. A wrong value is recorded and
 * replaced by a placeholder.
 */
abstract sealed class Binder
    permits AcmeBinder,
        ClusterBinder,
        CompressionBinder,
        ConfigBinder,
        EsiBinder,
        ForwardAuthBinder,
        JwtBinder,
        ListenBinder,
        LogBinder,
        MediaBinder,
        OriginBinder,
        PluginBinder,
        ProtectionBinder,
        RouteLimitsBinder,
        SigningBinder,
        SplitBinder,
        StorageClassBinder {
  static final int MAX_SECRET_FILE_BYTES = 65_536;

  final ConfigValues values;
  final List<ConfigProblem> problems;

  /** Where each value that is no default came from, by key path with names for indexes. */
  final Map<String, String> sources;

  Binder(ConfigValues values, List<ConfigProblem> problems, Map<String, String> sources) {
    this.values = values;
    this.problems = problems;
    this.sources = sources;
  }

  /** The value of a key that may be absent. */
  final <T> @Nullable T value(String scope, Field<?, T> field) {
    String path = scope + "." + field.name();
    Raw raw = values.get(path);
    if (raw == null) {
      return null;
    }
    if (scope.indexOf('.') < 0) {
      // Entries of lists are noted under their names once these are known.
      sources.put(path, raw.place().text());
    }
    return read(path, field, raw);
  }

  /** The value of a key that has a default. */
  final <T> T given(String scope, Field<?, T> field) {
    T value = value(scope, field);
    if (value != null) {
      return value;
    }
    String text = field.defaultText();
    if (text == null) {
      throw new IllegalStateException(field.name() + " has no default");
    }
    try {
      return field.type().reader().read(text);
    } catch (ValueType.WrongValueException e) {
      throw new IllegalStateException("default of " + field.name(), e);
    }
  }

  /** The value of a key that must be there. */
  final <T> T needed(String scope, Field<?, T> field, SourceLocation place) {
    T value = value(scope, field);
    if (value != null) {
      return value;
    }
    String path = scope + "." + field.name();
    if (!values.wasRefused(path)) {
      problems.add(
          place.problem(path, "is missing", "set it to " + field.type().range().replace("`", "")));
    }
    return field.type().placeholder();
  }

  /** The value of a key that names a file, which must be readable. */
  final @Nullable Path file(String scope, Field<?, Path> field) {
    Path file = value(scope, field);
    Raw raw = values.get(scope + "." + field.name());
    if (file != null && raw != null && !(Files.isRegularFile(file) && Files.isReadable(file))) {
      problems.add(
          raw.place()
              .problem(
                  scope + "." + field.name(),
                  "\"" + Printable.shown(file.toString()) + "\" is not a file that can be read",
                  ""));
    }
    return file;
  }

  /** The same of a key that must be there. */
  final Path neededFile(String scope, Field<?, Path> field, SourceLocation place) {
    Path file = file(scope, field);
    return file != null ? file : needed(scope, field, place);
  }

  /** A secret that stands in a key, or in a file that another key names; null where neither is. */
  final @Nullable Secret secret(String scope, Field<?, Secret> field, Field<?, Path> fileField) {
    Secret secret = value(scope, field);
    Path file = value(scope, fileField);
    String path = scope + "." + fileField.name();
    Raw raw = values.get(path);
    if (file == null || raw == null) {
      return secret;
    }
    if (values.get(scope + "." + field.name()) != null) {
      problems.add(
          raw.place().problem(path, field.name() + " is given as well", "keep one of them"));
      return secret;
    }
    sources.put(scope + "." + field.name(), raw.place().text());
    String why;
    try {
      if (Files.size(file) > MAX_SECRET_FILE_BYTES) {
        why = Printable.shown(file.toString()) + " is larger than 64KiB";
      } else {
        String all = Files.readString(file);
        values.files().note(path, all.getBytes(StandardCharsets.UTF_8));
        return field.type().reader().read(all.lines().findFirst().orElse("").strip());
      }
    } catch (IOException e) {
      why = "\"" + Printable.shown(file.toString()) + "\" is not a text file that can be read";
    } catch (ValueType.WrongValueException e) {
      why = Printable.shown(file.toString()) + ": " + e.message();
    }
    problems.add(raw.place().problem(path, why, "its first line is the secret"));
    return field.type().placeholder();
  }

  /** The same of a secret that must be there. */
  final Secret neededSecret(
      String scope, Field<?, Secret> field, Field<?, Path> fileField, SourceLocation place) {
    Secret secret = secret(scope, field, fileField);
    if (secret != null) {
      return secret;
    }
    String path = scope + "." + field.name();
    if (!values.wasRefused(path) && !values.wasRefused(scope + "." + fileField.name())) {
      problems.add(place.problem(path, "is missing", "set it, or " + fileField.name()));
    }
    return field.type().placeholder();
  }

  final <T> T read(String path, Field<?, T> field, Raw raw) {
    try {
      return field.type().reader().read(raw.text().strip());
    } catch (ValueType.WrongValueException e) {
      problems.add(raw.place().problem(path, e.message(), e.right()));
      return field.type().placeholder();
    }
  }

  final void source(Section<?> section, String name, Field<?, ?> field, String rawPath) {
    Raw raw = values.get(rawPath);
    if (raw != null) {
      sources.put(section.prefix() + "." + name + "." + field.name(), raw.place().text());
    }
  }

  final SourceLocation firstPlace(String... paths) {
    SourceLocation given = givenPlace(paths);
    return given != null ? given : new SourceLocation("configuration", 0, 0);
  }

  final @Nullable SourceLocation givenPlace(String... paths) {
    for (String path : paths) {
      Raw raw = values.get(path);
      if (raw != null) {
        return raw.place();
      }
    }
    return null;
  }
}
