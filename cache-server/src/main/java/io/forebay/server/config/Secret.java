package io.forebay.server.config;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/** A text that {@code toString}, logs and dumps of the configuration never show. */
public final class Secret {
  private final String value;

  public Secret(String value) {
    this.value = value;
  }

  /** The text itself, for the one place that sends it or computes with it. */
  public String value() {
    return value;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Secret that
        && MessageDigest.isEqual(
            value.getBytes(StandardCharsets.UTF_8), that.value.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public int hashCode() {
    return value.hashCode();
  }

  @Override
  public String toString() {
    return "***";
  }
}
