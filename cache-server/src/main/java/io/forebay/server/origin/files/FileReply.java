package io.forebay.server.origin.files;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.origin.call.OriginFailure;
import org.jspecify.annotations.Nullable;

/** What a directory has to say to a request. */
sealed interface FileReply {

  /**
   * A response.
   *
   * @param text its body where it comes from no file
   * @param file whose bytes are its body, or null
   * @param from the first of them
   * @param length how many
   */
  @SuppressWarnings("ArrayRecordComponent") // Made once, read by one call.
  record Response(
      int status, HeaderFields fields, byte[] text, @Nullable OpenFile file, long from, long length)
      implements FileReply {

    /** Without the bytes of a file. */
    static Response of(int status, HeaderFields fields, byte[] text) {
      return new Response(status, fields, text, null, 0, text.length);
    }
  }

  /** None: the directory or the file cannot be read now. */
  record Failed(OriginFailure failure) implements FileReply {}
}
