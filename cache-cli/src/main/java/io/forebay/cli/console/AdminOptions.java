package io.forebay.cli.console;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the address and the token of the admin API. */
public final class AdminOptions {
  @Option(
      names = "--admin-url",
      order = 80,
      paramLabel = "URL",
      defaultValue = "${env:FOREBAY_ADMIN_URL:-http://127.0.0.1:8081}",
      description =
          "Admin API of the node: http://HOST:PORT or unix:FILE; default FOREBAY_ADMIN_URL, else"
              + " port 8081 of 127.0.0.1.")
  public String adminUrl = "";

  @Option(
      names = "--token-file",
      order = 81,
      paramLabel = "FILE",
      description =
          "File whose first line is the admin token; default FOREBAY_ADMIN_TOKEN, else the file named"
              + " by FOREBAY_ADMIN_TOKEN_FILE. No option takes the token itself, because other users"
              + " can read command lines.")
  @Nullable Path tokenFile;

  public AdminClient client() {
    return client(AdminClient.ANSWER_TIMEOUT);
  }

  /** A client that waits so long for an answer. */
  public AdminClient client(Duration patience) {
    String token = System.getenv("FOREBAY_ADMIN_TOKEN");
    return new AdminClient(
        address(adminUrl),
        token(
            tokenFile == null && (token == null || token.isBlank())
                ? file(System.getenv("FOREBAY_ADMIN_TOKEN_FILE"))
                : tokenFile,
            token),
        patience);
  }

  private static @Nullable Path file(@Nullable String name) {
    return name == null || name.isBlank() ? null : Path.of(name);
  }

  /** A client of another node than that of the options; it gets no token but that of the file. */
  public static AdminClient client(String url, @Nullable Path file) {
    return new AdminClient(address(url), token(file, null));
  }

  private static URI address(String adminUrl) {
    try {
      URI uri = URI.create(adminUrl);
      if (uri.getHost() != null
          && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
          && uri.getRawQuery() == null) {
        String text = uri.toString();
        return URI.create(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
      }
      if ("unix".equals(uri.getScheme()) && uri.getHost() == null && uri.getPath() != null) {
        return uri;
      }
    } catch (IllegalArgumentException unreadable) {
      // answered below, as for any other text that is no address
    }
    throw new CommandException(
        ExitCode.USAGE,
        "admin URL '"
            + adminUrl
            + "' must look like http://host:port or unix:/run/forebay/admin.sock");
  }

  private static @Nullable String token(@Nullable Path tokenFile, @Nullable String token) {
    if (tokenFile == null) {
      return token == null || token.isBlank() ? null : checked(token, "FOREBAY_ADMIN_TOKEN");
    }
    try (var lines = Files.lines(tokenFile)) {
      String first = lines.findFirst().orElse("");
      if (first.isBlank()) {
        throw new CommandException(ExitCode.USAGE, "token file " + tokenFile + " is empty");
      }
      return checked(first, "token file " + tokenFile);
    } catch (IOException unreadable) {
      throw new CommandException(
          ExitCode.USAGE, "token file " + tokenFile + " cannot be read: " + unreadable, unreadable);
    }
  }

  /** A token goes into a header field, so it must be visible characters. */
  private static String checked(String token, String source) {
    String trimmed = token.strip();
    if (!trimmed.chars().allMatch(c -> c > 0x20 && c < 0x7f)) {
      throw new CommandException(
          ExitCode.USAGE, source + " contains spaces or control characters, so it is not a token");
    }
    return trimmed;
  }
}
