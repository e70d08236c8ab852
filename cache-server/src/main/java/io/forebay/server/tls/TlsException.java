package io.forebay.server.tls;

import java.util.List;

/** Certificates cannot be used; the message contains every reason. */
public final class TlsException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient List<String> lines;

  public TlsException(String line) {
    super(line);
    lines = List.of(line);
  }

  TlsException(List<String> lines) {
    super(String.join("; ", lines));
    this.lines = List.copyOf(lines);
  }

  /** A line a problem. */
  public List<String> lines() {
    return lines;
  }
}
