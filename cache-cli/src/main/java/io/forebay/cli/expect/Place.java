package io.forebay.cli.expect;

import io.forebay.server.config.SourceLocation;

/** Where something stands in a script. */
record Place(String file, int line, int column) {

  static Place of(SourceLocation location) {
    return new Place(location.source(), location.line(), location.column());
  }

  @Override
  public String toString() {
    return file + ":" + line + ":" + column;
  }
}
