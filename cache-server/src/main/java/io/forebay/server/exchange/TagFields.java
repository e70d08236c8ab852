package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.key.ResponseTags;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.response.HeadWriter;
import io.forebay.server.response.TagLines;
import io.forebay.server.runtime.RuntimeConfig;
import io.netty.buffer.ByteBuf;

/**
 * Keeps cache tags from clients that are not to have them. They are stored in any case: a purge by
 * tag needs them, and so does a node below this one.
 */
final class TagFields {
  private TagFields() {}

  /** Removes the lines of tags from what is written of a head, unless the client gets them. */
  static void filter(HeadWriter head, RuntimeConfig config, ClientInfo client) {
    if (config.sendsTagsToAll()) {
      return;
    }
    ByteBuf written = head.fields();
    if (TagLines.areIn(written) && !config.sendsTagsTo(client.address())) {
      TagLines.removeFrom(written);
    }
  }

  /** The same of fields. */
  static HeaderFields filtered(HeaderFields fields, RuntimeConfig config, ClientInfo client) {
    return config.sendsTagsToAll() || config.sendsTagsTo(client.address())
        ? fields
        : fields.without(ResponseTags::isTagField);
  }
}
