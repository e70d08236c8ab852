package io.forebay.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class MainTest {

  @Test
  void readsSpecificationVersionsOldAndNew() {
    assertEquals(8, Main.feature("1.8"));
    assertEquals(17, Main.feature("17"));
    assertEquals(25, Main.feature("25"));
    assertEquals(0, Main.feature("unknown"));
  }

  @Test
  void theSentenceForAnOldJavaSaysWhatWasFoundWhatIsNeededAndHowToGetIt() {
    String sentence = Main.tooOld("17.0.15", "/somewhere");

    assertTrue(sentence.contains("Java 17.0.15 (/somewhere)"), sentence);
    assertTrue(sentence.contains("Java 25 or newer"), sentence);
    assertTrue(sentence.contains("install a JDK 25"), sentence);
    assertEquals(1, sentence.lines().count());
  }
}
