package io.forebay.core.http;

import java.util.List;

/**
 * Parses the CDN-Loop lines of a request (RFC 8586 §2):
 *
 * <pre>
 *   CDN-Loop = #cdn-info
 *   cdn-info = cdn-id *( OWS ";" OWS token "=" ( token / quoted-string ) )
 *   cdn-id   = ( uri-host [ ":" port ] ) / pseudonym
 * </pre>
 *
 * <p>Read once from left to right; empty members are as good as none (RFC 9110 §5.6.1.2).
 *
 * @param isMalformed whether a line is something else
 * @param hops members up to there
 * @param isThroughHere whether one of them is the given id, in any case and with any parameters
 */
public record CdnLoop(boolean isMalformed, int hops, boolean isThroughHere) {

  /** Reads the lines; {@code ownId} is the id to look for. */
  public static CdnLoop of(List<String> lines, String ownId) {
    int hops = 0;
    boolean isThroughHere = false;
    for (String line : lines) {
      Reader reader = new Reader(line);
      while (reader.skipToMember()) {
        int start = reader.at;
        if (!reader.readId()) {
          return new CdnLoop(true, hops, isThroughHere);
        }
        String id = line.substring(start, reader.at);
        if (!reader.readParameters()) {
          return new CdnLoop(true, hops, isThroughHere);
        }
        hops++;
        isThroughHere |= id.equalsIgnoreCase(ownId);
      }
    }
    return new CdnLoop(false, hops, isThroughHere);
  }

  private static final class Reader {
    private final String line;
    private int at;

    Reader(String line) {
      this.line = line;
    }

    private boolean isAt(char c) {
      return at < line.length() && line.charAt(at) == c;
    }

    private void skipBlanks() {
      while (at < line.length() && FieldSyntax.isWhitespace(line.charAt(at))) {
        at++;
      }
    }

    /** Over blanks and commas; false at the end. */
    boolean skipToMember() {
      while (at < line.length()
          && (line.charAt(at) == ',' || FieldSyntax.isWhitespace(line.charAt(at)))) {
        at++;
      }
      return at < line.length();
    }

    /** A pseudonym is a token; a host may have colons, brackets and percent signs besides. */
    boolean readId() {
      int start = at;
      while (at < line.length()
          && (FieldSyntax.isTokenChar(line.charAt(at)) || "[]:".indexOf(line.charAt(at)) >= 0)) {
        at++;
      }
      return at > start;
    }

    /** To the comma that ends the member, or the end of the line. */
    boolean readParameters() {
      while (true) {
        skipBlanks();
        if (at == line.length() || isAt(',')) {
          return true;
        }
        if (!isAt(';')) {
          return false;
        }
        at++;
        skipBlanks();
        if (!readToken() || !isAt('=')) {
          return false;
        }
        at++;
        if (isAt('"') ? !readQuoted() : !readToken()) {
          return false;
        }
      }
    }

    private boolean readToken() {
      int start = at;
      while (at < line.length() && FieldSyntax.isTokenChar(line.charAt(at))) {
        at++;
      }
      return at > start;
    }

    private boolean readQuoted() {
      at++;
      while (at < line.length()) {
        char c = line.charAt(at++);
        if (c == '"') {
          return true;
        }
        if (c == '\\') {
          at++;
        }
      }
      return false;
    }
  }
}
