package io.forebay.server.response;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TagLinesTest {

  @ParameterizedTest
  @CsvSource({
    "'', '', false",
    "S|a: 1|b: 2|, S|a: 1|b: 2|, false",
    "S|surrogate-key: a b|, S|, true",
    "S|a: 1|surrogate-key: a b|b: 2|, S|a: 1|b: 2|, true",
    "S|xkey: a|cache-tag: b|c: 3|cache-tags: d|, S|c: 3|, true",
    "S|surrogate-keys: a|surrogate-key2: b|x: surrogate-key: c|, "
        + "S|surrogate-keys: a|surrogate-key2: b|x: surrogate-key: c|, false",
    "S|x-cache-tags: a|x-drupal-cache-tags: a|purge-cache-tags: a|x-magento-tags: a|e: 5|, "
        + "S|e: 5|, true",
    "S|cache-groups: \"a\"|xk, S|cache-groups: \"a\"|xk, false",
  })
  void linesWithTagsAreFoundAndRemoved(String before, String after, boolean areIn) {
    ByteBuf head =
        Unpooled.copiedBuffer("-" + before.replace("|", "\r\n"), StandardCharsets.ISO_8859_1);
    head.readByte();
    assertEquals(areIn, TagLines.areIn(head));
    TagLines.removeFrom(head);
    assertEquals(after.replace("|", "\r\n"), head.toString(StandardCharsets.ISO_8859_1));
    head.release();
  }
}
