package io.forebay.cli.sign;

import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import io.forebay.core.http.TargetUri;
import io.forebay.server.config.ProtectionProfile.UrlKey;
import io.forebay.server.protect.url.UrlToken;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints a URL with the token that a route with {@code signed-urls.type: hmac} asks for. */
@Command(
    name = "sign-url",
    header = "Sign a URL for a route with signed URLs.",
    sortOptions = false,
    description = {
      "",
      "Prints the URL with its token. It signs with the secret alone and needs no running node.",
      ""
    })
public final class SignUrlCommand implements Callable<Integer> {
  @Parameters(paramLabel = "URL", description = "The URL as clients request it.")
  private String url = "";

  @Option(
      names = "--key-id",
      required = true,
      paramLabel = "ID",
      description = "Id of the key in url-keys.")
  private String keyId = "";

  @Option(
      names = "--secret-file",
      paramLabel = "FILE",
      description =
          "File whose first line is the secret; default: the variable FOREBAY_URL_SECRET.")
  private @Nullable Path secretFile;

  @Option(
      names = "--valid",
      paramLabel = "SECONDS",
      description = "How long the URL is valid, from now; default: ${DEFAULT-VALUE}.")
  private long validSeconds = 3600;

  @Option(
      names = "--prefix",
      paramLabel = "PATH",
      description = "Admit everything below this path, which ends with a slash.")
  private @Nullable String prefix;

  @Option(
      names = "--network",
      paramLabel = "CIDR",
      description = "Admit clients of this address or network only.")
  private @Nullable String network;

  @Option(
      names = "--parameter",
      paramLabel = "NAME",
      description = "signed-urls.parameter of the route; default: ${DEFAULT-VALUE}.")
  private String parameter = "token";

  @Mixin private final CommonOptions common = new CommonOptions();

  public SignUrlCommand() {}

  @Override
  public Integer call() {
    TargetUri target = TargetUri.parse(url);
    if (target == null) {
      throw new CommandException(ExitCode.USAGE, "not an absolute http or https URL: " + url);
    }
    String below = prefix;
    if (below != null && !(below.endsWith("/") && target.path().startsWith(below))) {
      throw new CommandException(
          ExitCode.USAGE, "--prefix ends with a slash and is the beginning of the URL's path");
    }
    long expires = Instant.now().plus(Duration.ofSeconds(validSeconds)).getEpochSecond();
    String token =
        UrlToken.sign(
            new UrlKey(keyId, SecretOption.read(secretFile, "FOREBAY_URL_SECRET")),
            target,
            parameter,
            expires,
            below,
            network);
    String signed = target + (target.query() == null ? "?" : "&") + parameter + "=" + token;
    Output output = common.output();
    output.json(Map.of("url", signed, "token", token, "expires", expires));
    output.line(signed);
    return ExitCode.OK;
  }
}
