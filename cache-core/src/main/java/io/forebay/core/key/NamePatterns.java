package io.forebay.core.key;

import java.util.Arrays;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * An immutable set of names and of prefixes that end with a star ({@code utm_*}), stored as a trie:
 * a lookup walks once along the name, whatever the size of the set, and allocates nothing.
 */
public final class NamePatterns {

  /** Nothing matches. */
  public static final NamePatterns NONE = new NamePatterns(List.of());

  private static final int MAX_PATTERNS = 1024;
  private static final int MAX_LENGTH = 256;

  private final List<String> patterns;
  private final Node root;

  /** A place in the tree: which characters go on from here, in order, and to where. */
  private static final class Node {
    private char[] next = {};
    private Node[] nodes = {};
    private boolean isName;
    private boolean isBeginning;

    /** Patterns come sorted, so a new character is always the last. */
    Node add(char c) {
      int last = next.length - 1;
      if (last >= 0 && next[last] == c) {
        return nodes[last];
      }
      next = Arrays.copyOf(next, next.length + 1);
      nodes = Arrays.copyOf(nodes, nodes.length + 1);
      next[last + 1] = c;
      nodes[last + 1] = new Node();
      return nodes[last + 1];
    }
  }

  /**
   * Compiles patterns.
   *
   * @throws IllegalArgumentException for one that no name of a query parameter could match
   */
  public NamePatterns(List<String> patterns) {
    if (patterns.size() > MAX_PATTERNS) {
      throw new IllegalArgumentException("more than " + MAX_PATTERNS + " patterns");
    }
    this.patterns = List.copyOf(patterns);
    this.root = new Node();
    SortedSet<String> sorted = new TreeSet<>();
    for (String pattern : patterns) {
      if (!isPattern(pattern)) {
        throw new IllegalArgumentException("not a name, or one that ends with a star: " + pattern);
      }
      sorted.add(pattern);
    }
    for (String pattern : sorted) {
      boolean isBeginning = pattern.endsWith("*");
      Node node = root;
      for (int i = 0; i < pattern.length() - (isBeginning ? 1 : 0); i++) {
        node = node.add(pattern.charAt(i));
      }
      node.isName |= !isBeginning;
      node.isBeginning |= isBeginning;
    }
  }

  /** Whether a text is a name, or a beginning of one with a star behind it. */
  public static boolean isPattern(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c <= ' ' || c >= 0x7f || "&=#,".indexOf(c) >= 0 || (c == '*' && i < text.length() - 1)) {
        return false;
      }
    }
    return !text.isEmpty() && text.length() <= MAX_LENGTH;
  }

  public List<String> patterns() {
    return patterns;
  }

  public boolean isEmpty() {
    return patterns.isEmpty();
  }

  /** Whether a part of a text is one of the names, or begins as one of the patterns says. */
  public boolean matches(CharSequence text, int from, int to) {
    Node node = root;
    for (int i = from; i < to; i++) {
      if (node.isBeginning) {
        return true;
      }
      int at = Arrays.binarySearch(node.next, text.charAt(i));
      if (at < 0) {
        return false;
      }
      node = node.nodes[at];
    }
    return node.isName || node.isBeginning;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof NamePatterns same && same.patterns.equals(patterns);
  }

  @Override
  public int hashCode() {
    return patterns.hashCode();
  }

  @Override
  public String toString() {
    return patterns.toString();
  }
}
