package io.forebay.server.purge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.SyntheticRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The purge requests of content management systems' plugins, and what they select. */
final class PurgeRequestReaderTest {

  private static List<PurgeOrder> read(String method, String url, String... fields) {
    return PurgeRequestReader.read(SyntheticRequest.of(method, url, fields));
  }

  private static String shown(PurgeOrder order) {
    String reach = order.reach() == PurgeOrder.Reach.ANY_PORT ? " any-port" : "";
    String kind = order.kind().name().toLowerCase(Locale.ROOT);
    return kind + " " + order.text() + reach + (order.isSoft() ? " soft" : "");
  }

  /** Fields stand as {@code name: value; name: value}. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      quoteCharacter = '~',
      textBlock =
          """
          PURGE ! http://h/a/     !                                  ! url http://h/a/ any-port
          PURGE ! http://h:81/a?b !                                  ! url http://h:81/a?b any-port
          PURGE ! http://h/a      ! X-Purge-Method: default          ! url http://h/a any-port
          PURGE ! http://h/a      ! X-Purge-Method: exact            ! url http://h/a any-port
          PURGE ! http://h/a      ! Fastly-Soft-Purge: 1             ! url http://h/a any-port soft
          PURGE ! http://h/a      ! Fastly-Soft-Purge: 0             ! url http://h/a any-port
          PURGE ! http://h:81/.*  ! X-Purge-Method: regex            ! host h
          PURGE ! http://h/.*     !                                  ! host h
          PURGE ! http://h/*      !                                  ! host h
          PURGE ! http://h/s/.*   ! X-Purge-Method: regex            ! pattern host h path /s/.*
          PURGE ! http://h/s.v/*  !                                  ! pattern host h path ^/s\\.v/
          PURGE ! http://h/a(b|c) ! X-Purge-Method: regex            ! pattern host h path /a(b|c)
          PURGE ! http://h/a?b.*  ! X-Purge-Method: regex            ! pattern host h path /a\\?b.*
          PURGE ! http://h/       ! X-Purge-Method: ban-regex; X-Ban-Regex: ^/x ! pattern host h path ^/x
          PURGE ! http://h/       ! X-Purge-Regex: .*                ! host h
          PURGE ! http://h/       ! xkey: a b                        ! tag a, tag b
          PURGE ! http://h/       ! xkey: a,b                        ! tag a, tag b
          PURGE ! http://h/       ! xkey-purge: a; xkey-softpurge: b ! tag a, tag b soft
          PURGEKEYS ! http://h/   ! xkey-softpurge: a b              ! tag a soft, tag b soft
          PURGE ! http://h/       ! Surrogate-Key: a b; Fastly-Soft-Purge: 1 ! tag a soft, tag b soft
          PURGE ! http://h/       ! Cache-Tag: a b, c                ! tag a b, tag c
          BAN   ! http://h/       ! Cache-Tags: node:1|node_list     ! tag node:1, tag node_list
          BAN   ! http://h/       ! Cache-Tags: config:system.site user:1 ! tag config:system.site, tag user:1
          BAN   ! http://h/       ! X-Cache-Tags: pages_7            ! tag pages_7
          BAN   ! http://h/       ! X-Host: ^(a|b)$; X-Url: .*; X-Content-Type: .*; X-Cache-Tags: (^|,)(a|b-c)(,|$) ! tag a, tag b-c
          BAN   ! http://h/       ! X-Host: ^www\\.h\\.org$; X-Url: ^/x ! pattern host www.h.org path ^/x
          BAN   ! http://h/       ! X-Host: ^www\\.h\\.org$; X-Url: .* ! host www.h.org
          BAN   ! http://h/       ! X-Host: h.org; X-Url: .*         ! everything *
          BAN   ! http://h/x      !                                  ! pattern host h path /x
          BAN   ! http://h/       !                                  ! host h
          PURGE ! http://h/       ! X-Varnish-Purge-All: 1           ! everything *
          PURGE ! http://h/       ! X-Magento-Tags-Pattern: .*       ! everything *
          PURGE ! http://h/       ! X-Magento-Tags-Pattern: ((^|,)cat_p_1(,|$)) ! tag cat_p_1
          PURGE ! http://h/       ! X-Magento-Tags-Pattern: ((^|,)cat_p_1(,|$))|((^|,)cat_p(,|$)) ! tag cat_p_1, tag cat_p
          PURGE ! http://h/       ! X-Magento-Tags-Pattern: cat_p_[0-9] ! pattern header x-magento-tags: cat_p_[0-9]
          PURGE ! http://h/       ! X-Cache-Tags: (^|,)tt_content\\{[^}]*,5, ! pattern header x-cache-tags: (^|,)tt_content\\{[^}]*,5,
          """)
  void namesWhatPluginsMean(String method, String url, String fields, String orders) {
    List<String> pairs = new ArrayList<>();
    for (String field : fields == null ? new String[0] : fields.split("; ", -1)) {
      pairs.addAll(List.of(field.split(": ", 2)));
    }
    List<PurgeOrder> read = read(method, url, pairs.toArray(String[]::new));
    assertEquals(
        orders, read.stream().map(PurgeRequestReaderTest::shown).collect(Collectors.joining(", ")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      textBlock =
          """
          PURGE     ! xkey              ! ' '       ! names no tag
          PURGE     ! X-Cache-Tags      ! ', '      ! names no tag
          PURGE     ! X-Purge-Method    ! all       ! must be default, exact, regex or ban-regex
          PURGE     ! Fastly-Soft-Purge ! maybe     ! must be 1 or 0
          PURGE     ! X-Pool            ! a         ! X-Pool is not supported
          PURGEKEYS ! Accept            ! text/html ! needs tags
          """)
  void refusesWhatItCannotFollow(String method, String field, String value, String why) {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> read(method, "http://h/", field, value));
    assertTrue(String.valueOf(refused.getMessage()).contains(why), refused.getMessage());
  }

  @Test
  void tagsOfOneRequestAreBounded() {
    String most = IntStream.range(0, 1024).mapToObj(i -> "t" + i).collect(Collectors.joining(" "));
    assertEquals(1024, read("PURGE", "http://h/", "xkey", most).size());
    assertThrows(
        IllegalArgumentException.class, () -> read("PURGE", "http://h/", "xkey", most + " one"));
  }

  @Test
  void aPathologicalPatternOfTagsIsReadInOnePass() {
    for (String part : new String[] {"((^|,)", "|", "(", ")", "\\", "\\|", "(a|", "(^|,)(,|$)"}) {
      String text = "x" + part.repeat(3000);
      // Whatever it is read as: it ends, and nothing is lost of what cannot be read.
      assertTrue(!read("BAN", "http://h/", "X-Cache-Tags", text).isEmpty(), part);
    }
  }
}
