package io.forebay.cli;

import io.forebay.server.admin.Node.Listening;
import io.forebay.server.admin.Node.Reload;
import java.util.List;

/** The node that serve runs. */
interface Edge extends AutoCloseable {

  @SuppressWarnings("DoNotCallSuggester")
  static Edge start(ConfigOptions options) {
    throw new CommandException(
        Exit.FAILURE, "this build has no server for " + options.given().keySet());
  }

  List<String> banner();

  List<Listening> listening();

  String admin();

  Reload reload();

  void reopenLog();

  void drain();

  @Override
  void close();
}
