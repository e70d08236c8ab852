package io.forebay.server.config;

import java.util.List;

/** Writes a {@link ConfigTree} in one line, as JSON whose values are texts; it is YAML, too. */
final class TreeText {
  private TreeText() {}

  static String of(ConfigTree tree) {
    StringBuilder out = new StringBuilder();
    write(out, tree);
    return out.toString();
  }

  private static void write(StringBuilder out, ConfigTree tree) {
    switch (tree) {
      case ConfigTree.Scalar scalar when scalar.isNull() -> out.append("null");
      case ConfigTree.Scalar scalar -> quote(out, scalar.text());
      case ConfigTree.Sequence(SourceLocation place, List<ConfigTree> items) -> {
        out.append('[');
        String separator = "";
        for (ConfigTree item : items) {
          out.append(separator);
          write(out, item);
          separator = ", ";
        }
        out.append(']');
      }
      case ConfigTree.Mapping(SourceLocation place, List<ConfigTree.Entry> entries) -> {
        out.append('{');
        String separator = "";
        for (ConfigTree.Entry entry : entries) {
          out.append(separator);
          quote(out, entry.key());
          out.append(": ");
          write(out, entry.value());
          separator = ", ";
        }
        out.append('}');
      }
    }
  }

  private static void quote(StringBuilder out, String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ' || c == 0x7f || (c >= 0x80 && c < 0xa0)) {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }
}
