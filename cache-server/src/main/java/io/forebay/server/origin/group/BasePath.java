package io.forebay.server.origin.group;

/**
 * The base path of a server: it stands before the path of every request to it. Both are in normal
 * form, so joining them is a concatenation; the base has no slash at its end.
 *
 * <pre>
 *   base /app + target /x?q  ──► /app/x?q
 *   base /app + target /     ──► /app/
 *   base /app + target *     ──► *
 * </pre>
 *
 * @param prefix empty for none
 */
public record BasePath(String prefix) {
  public static final BasePath NONE = new BasePath("");

  /** Of a path in normal form; a slash at its end has no meaning. */
  public static BasePath of(String path) {
    String prefix = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    return prefix.isEmpty() ? NONE : new BasePath(prefix);
  }

  public boolean isNone() {
    return prefix.isEmpty();
  }

  /** The target that the server sees. */
  public String join(String target) {
    return prefix.isEmpty() || target.equals("*") ? target : prefix.concat(target);
  }

  /**
   * Whether a server could take the path of a target in normal form out of the base: by a {@code
   * ..} beside an encoded slash or backslash, which some servers decode before they remove dot
   * segments, or before {@code ;}, which some cut off first.
   */
  public static boolean mayClimb(String target) {
    int query = target.indexOf('?');
    int end = query < 0 ? target.length() : query;
    for (int at = target.indexOf("..");
        at >= 0 && at + 2 <= end;
        at = target.indexOf("..", at + 1)) {
      if (isSegmentStart(target, at) && isSegmentEnd(target, at + 2, end)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isSegmentStart(String target, int at) {
    return target.charAt(at - 1) == '/' || isEncodedSlash(target, at - 3);
  }

  private static boolean isSegmentEnd(String target, int at, int end) {
    return at == end
        || target.charAt(at) == '/'
        || target.charAt(at) == ';'
        || (at + 3 <= end && isEncodedSlash(target, at));
  }

  private static boolean isEncodedSlash(String target, int at) {
    return at >= 0 && (target.startsWith("%2F", at) || target.startsWith("%5C", at));
  }
}
