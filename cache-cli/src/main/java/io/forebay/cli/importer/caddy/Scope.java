package io.forebay.cli.importer.caddy;

import io.forebay.cli.importer.model.Directive;
import java.util.LinkedHashMap;
import java.util.Map;

/** What holds for the statements of a block. */
final class Scope {
  /** Definitions of named matchers, with their at signs. */
  final Map<String, Directive> matchers = new LinkedHashMap<>();

  /** What was cut from the beginning of paths; empty where nothing was. */
  final String cut;

  /** Whether a statement before may have changed the path otherwise. */
  boolean isRewritten;

  /** Whether one has, whatever the request. */
  boolean isAlwaysRewritten;

  /** The directory of files; empty where none is named. */
  String root = "";

  Scope() {
    this.cut = "";
  }

  private Scope(Scope outer, String cut) {
    this.cut = cut;
    matchers.putAll(outer.matchers);
    isRewritten = outer.isRewritten;
    isAlwaysRewritten = outer.isAlwaysRewritten;
    root = outer.root;
  }

  Scope inner() {
    return new Scope(this, cut);
  }

  /** A block in which paths are without what they begin with. */
  Scope cutting(String prefix) {
    return new Scope(this, cut + prefix);
  }
}
