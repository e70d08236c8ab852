package io.forebay.cli.sign;

import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import io.forebay.server.protect.url.DebugToken;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints a token with which requests learn how their responses come about. */
@Command(
    name = "debug-token",
    header = "Make a token for the Forebay-Debug field of requests.",
    sortOptions = false,
    description = {
      "",
      "Every client that sends it sees keys, rules and timings of the node's answers until it expires.",
      "It signs with the secret alone and needs no running node.",
      ""
    })
public final class DebugTokenCommand implements Callable<Integer> {
  @Option(
      names = "--secret-file",
      paramLabel = "FILE",
      description =
          "File whose first line is debug.secret; default: the variable FOREBAY_DEBUG_SECRET.")
  private @Nullable Path secretFile;

  @Option(
      names = "--valid",
      paramLabel = "SECONDS",
      description = "How long the token is valid, from now; default: ${DEFAULT-VALUE}.")
  private long validSeconds = 3600;

  @Mixin private final CommonOptions common = new CommonOptions();

  public DebugTokenCommand() {}

  @Override
  public Integer call() {
    long expires = Instant.now().plus(Duration.ofSeconds(validSeconds)).getEpochSecond();
    String token =
        new DebugToken(SecretOption.read(secretFile, "FOREBAY_DEBUG_SECRET")).sign(expires);
    Output output = common.output();
    output.json(Map.of("token", token, "expires", expires));
    output.line(token);
    return ExitCode.OK;
  }
}
