package io.forebay.cli;

import picocli.CommandLine.Command;

/** Checks, dumps and describes the configuration. */
@Command(
    name = "config",
    header = "Check, dump or describe the configuration.",
    sortOptions = false)
final class ConfigCommand {
  ConfigCommand() {}
}
