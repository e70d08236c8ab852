package io.forebay.cli.sign;

import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.ExitCode;
import io.forebay.server.config.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads what is signed with: from a file, or from the environment. */
final class SecretOption {
  private SecretOption() {}

  /**
   * The secret.
   *
   * @param variable of the environment, where no file is named
   */
  static Secret read(@Nullable Path file, String variable) {
    if (file == null) {
      String value = System.getenv(variable);
      if (value == null || value.isEmpty()) {
        throw new CommandException(ExitCode.USAGE, "give --secret-file, or set " + variable);
      }
      return new Secret(value);
    }
    try {
      return new Secret(Files.readString(file).lines().findFirst().orElse("").strip());
    } catch (IOException e) {
      throw new CommandException(ExitCode.FAILURE, file + " cannot be read", e);
    }
  }
}
