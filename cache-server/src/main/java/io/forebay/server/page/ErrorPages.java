package io.forebay.server.page;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Pages by status, from 400 to 599. Immutable. */
public final class ErrorPages {
  private static final int FIRST = 400;
  private static final int COUNT = 200;

  public static final ErrorPages NONE = new ErrorPages("", new @Nullable StatusPage[COUNT]);

  private final String text;
  private final @Nullable StatusPage[] pages;

  private ErrorPages(String text, @Nullable StatusPage[] pages) {
    this.text = text;
    this.pages = pages;
  }

  /** Collects pages; for a status, what was put last replaces what was put before. */
  public static final class Builder {
    private final @Nullable StatusPage[] pages = new @Nullable StatusPage[COUNT];

    public Builder() {}

    /** For some statuses, both ends inclusive. */
    public void put(int first, int last, StatusPage page) {
      Arrays.fill(pages, first - FIRST, last - FIRST + 1, page);
    }

    /** {@code text} is what was written. */
    public ErrorPages build(String text) {
      return new ErrorPages(text, pages.clone());
    }
  }

  /** Those, and the others where there is none for a status. Written as before. */
  public ErrorPages over(ErrorPages others) {
    @Nullable StatusPage[] both = pages.clone();
    for (int i = 0; i < COUNT; i++) {
      if (both[i] == null) {
        both[i] = others.pages[i];
      }
    }
    return new ErrorPages(text, both);
  }

  /** What the node answers with instead of a line of text, or null. */
  public @Nullable StatusPage ofEdge(int status) {
    StatusPage page = of(status);
    return page != null && page.isForEdge() ? page : null;
  }

  /** What a client gets in place of the origin's answer, or null. */
  public @Nullable StatusPage ofOrigin(int status) {
    StatusPage page = of(status);
    return page != null && page.isForOrigin() ? page : null;
  }

  private @Nullable StatusPage of(int status) {
    return status < FIRST || status >= FIRST + COUNT ? null : pages[status - FIRST];
  }

  /** As they were written, in one line; empty if none were. */
  @Override
  public String toString() {
    return text;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ErrorPages its
        && its.text.equals(text)
        && Arrays.equals(its.pages, pages);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }
}
