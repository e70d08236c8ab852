package io.forebay.core.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AcceptClassesTest {
  private static final AcceptClasses CLASSES = new AcceptClasses(List.of("avif", "webp"));

  private static String reduced(String... lines) {
    HeaderFields.Builder fields = HeaderFields.builder();
    for (String line : lines) {
      fields.add("Accept", line);
    }
    return CLASSES.value(CLASSES.classOf(fields.build()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      ignoreLeadingAndTrailingWhitespace = true,
      textBlock =
          """
          Chrome, images    | image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8 | image/avif,image/webp,*/*;q=0.8
          Chrome, pages     | text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8 | image/avif,image/webp,*/*;q=0.8
          Safari            | image/webp,image/avif,image/jxl,image/heic,video/*;q=0.8,image/png,image/*;q=0.8,*/*;q=0.5 | image/avif,image/webp,*/*;q=0.8
          an older browser  | image/webp,*/*                 | image/webp,*/*;q=0.8
          curl              | */*                            | */*
          any image         | image/*                        | */*
          another format    | image/png, image/apng          | */*
          refused           | image/avif;q=0, image/webp     | image/webp,*/*;q=0.8
          zeros             | image/avif;q=0.000,image/webp;q=0. | */*
          hardly            | image/avif;q=0.001             | image/avif,*/*;q=0.8
          refused and named | image/avif, image/avif;q=0     | */*
          malformed weight  | image/avif;q=high, image/webp;q= | */*
          case and blanks   | IMAGE/Avif ; Q=0.5             | image/avif,*/*;q=0.8
          a parameter       | image/avif;a="x,y;q=0";q=0.5   | image/avif,*/*;q=0.8
          refused by it     | image/avif;a="x\\",y";q=0      | */*
          no weight         | image/avif;quality=0           | image/avif,*/*;q=0.8
          within quotes     | a/b;c=",image/avif,"           | */*
          an open quote     | a/b;c=", image/avif            | */*
          a longer name     | image/avif-sequence, ximage/webp | */*
          junk              | ,,;;q=0,/,image/               | */*
          """)
  void fallsIntoAClass(String what, String line, String value) {
    assertEquals(value, reduced(line), what);
  }

  @Test
  void linesCountTogetherAndNoneIsTheClassOfNoFormat() {
    assertEquals("image/avif,image/webp,*/*;q=0.8", reduced("image/webp", "image/avif"));
    assertEquals("*/*", reduced("image/avif", "image/avif;q=0"));
    assertEquals("*/*", reduced());
  }

  @Test
  void theValueOfAClassIsOfThatClassAndThereAreNoMoreOfThem() {
    AcceptClasses all = new AcceptClasses(AcceptClasses.FORMATS);
    for (int acceptClass = 0; acceptClass < 8; acceptClass++) {
      String value = all.value(acceptClass);
      assertEquals(acceptClass, all.classOfSeen(all.add(0, value)), value);
    }
    List<String> pieces =
        List.of("image/avif", "image/webp", ",", ";", "q=", "0", ".5", "\"", "\\", " ", "*/*", "x");
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 20_000; i++) {
      StringBuilder line = new StringBuilder();
      for (int n = random.nextInt(8); n > 0; n--) {
        line.append(pieces.get(random.nextInt(pieces.size())));
      }
      int acceptClass = all.classOfSeen(all.add(0, line));
      assertTrue(acceptClass >= 0 && acceptClass < 8, "seed " + seed + ": " + line);
    }
  }

  @Test
  void refusesFormatsThatItDoesNotKnowOrHasTwice() {
    assertThrows(IllegalArgumentException.class, () -> new AcceptClasses(List.of("png")));
    assertThrows(IllegalArgumentException.class, () -> new AcceptClasses(List.of("webp", "webp")));
  }
}
