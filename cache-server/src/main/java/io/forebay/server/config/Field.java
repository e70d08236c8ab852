package io.forebay.server.config;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One configuration key: its name, type, default, range and description.
 *
 * @param <R> the record of {@link ServerConfig} that holds it
 * @param <T> the type of its value
 * @param name last part of the key path
 * @param defaultText as it would be written; null where there is none, or where it depends on the
 *     machine
 * @param defaultNote what the default is where it is no plain text; empty otherwise
 * @param needsRestart whether a change only takes effect at the next start
 * @param description one or two sentences for the reference
 * @param reader the effective value out of the record; null for a key that is only another way to
 *     write others
 */
record Field<R, T>(
    String name,
    ValueType<T> type,
    @Nullable String defaultText,
    String defaultNote,
    boolean isRequired,
    boolean needsRestart,
    String description,
    @Nullable Function<R, @Nullable T> reader) {

  static <R, T> Field<R, T> live(
      String name,
      ValueType<T> type,
      String defaultText,
      Function<R, @Nullable T> reader,
      String description) {
    return new Field<>(name, type, defaultText, "", false, false, description, reader);
  }

  static <R, T> Field<R, T> atStart(
      String name,
      ValueType<T> type,
      String defaultText,
      Function<R, @Nullable T> reader,
      String description) {
    return new Field<>(name, type, defaultText, "", false, true, description, reader);
  }

  /** A key that may be absent, or whose default is worked out. */
  static <R, T> Field<R, T> optional(
      String name,
      ValueType<T> type,
      String defaultNote,
      boolean needsRestart,
      @Nullable Function<R, @Nullable T> reader,
      String description) {
    return new Field<>(name, type, null, defaultNote, false, needsRestart, description, reader);
  }

  static <R, T> Field<R, T> required(
      String name,
      ValueType<T> type,
      boolean needsRestart,
      Function<R, @Nullable T> reader,
      String description) {
    return new Field<>(name, type, null, "required", true, needsRestart, description, reader);
  }

  boolean isSecret() {
    return type.name().equals("secret");
  }

  /** The effective value as it would be written, or null when it is absent. */
  @Nullable String printed(R record) {
    T value = reader == null ? null : reader.apply(record);
    return value == null ? null : type.printer().apply(value);
  }
}
