package io.forebay.cli.expect;

import io.forebay.server.config.SourceLocation;

/** Where something stands in a script. */
record ScriptPlace(String file, int line, int column) {

  static ScriptPlace of(SourceLocation location) {
    return new ScriptPlace(location.source(), location.line(), location.column());
  }

  @Override
  public String toString() {
    return file + ":" + line + ":" + column;
  }
}
