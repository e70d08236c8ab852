package io.forebay.server.origin.files;

import io.forebay.core.http.AcceptEncoding;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The file to send in place of a plain one: a sibling that an operator compressed before, such as
 * {@code style.css.br}.
 *
 * @param handle of the sibling, which is the caller's to close; negative where none is sent
 * @param coding of it, or null
 * @param isVaried whether there is a sibling, so that the answer depends on {@code Accept-Encoding}
 */
record SiblingFile(int handle, @Nullable Coding coding, boolean isVaried) {

  /** No sibling is sent. */
  private static final int NO_HANDLE = -1;

  /** A coding, by the names of the configuration. */
  enum Coding {
    BR("br", ".br", AcceptEncoding.BR),
    ZSTD("zstd", ".zst", AcceptEncoding.ZSTD),
    GZIP("gzip", ".gz", AcceptEncoding.GZIP);

    private final String token;
    private final String extension;
    private final int bit;

    Coding(String token, String extension, int bit) {
      this.token = token;
      this.extension = extension;
      this.bit = bit;
    }

    /** As Content-Encoding has it. */
    String token() {
      return token;
    }

    static Coding of(String token) {
      return Arrays.stream(values())
          .filter(coding -> coding.token.equals(token))
          .findFirst()
          .orElseThrow();
    }

    private byte[] path(byte[] file) {
      byte[] more = extension.getBytes(StandardCharsets.US_ASCII);
      byte[] sibling = Arrays.copyOf(file, file.length + more.length);
      System.arraycopy(more, 0, sibling, file.length, more.length);
      return sibling;
    }
  }

  /**
   * Looks for siblings, the preferred first. One that is older than the plain file was made of
   * another one and counts as none.
   *
   * @param root handle of the directory
   * @param file path of the plain file below it
   * @param accepted class of the request, as {@link AcceptEncoding} numbers them
   */
  static SiblingFile find(
      int root, byte[] file, FileState plain, List<Coding> codings, int accepted) {
    int chosen = NO_HANDLE;
    Coding coding = null;
    boolean isVaried = false;
    for (Coding each : codings) {
      byte[] path = each.path(file);
      int handle =
          path.length >= FileCalls.MAX_PATH ? -FileCalls.ENOENT : FileCalls.openBeneath(root, path);
      if (handle < 0) {
        // Where it cannot be told whether there is one, it is not certain that all get the same.
        isVaried |= handle != -FileCalls.ENOENT;
        continue;
      }
      FileState state = FileCalls.state(handle);
      boolean isUsable = state != null && state.isRegular() && !state.isOlderThan(plain);
      isVaried |= isUsable;
      if (isUsable && coding == null && AcceptEncoding.accepts(accepted, each.bit)) {
        chosen = handle;
        coding = each;
      } else {
        FileCalls.close(handle);
      }
    }
    return new SiblingFile(chosen, coding, isVaried);
  }

  void close() {
    if (handle >= 0) {
      FileCalls.close(handle);
    }
  }
}
