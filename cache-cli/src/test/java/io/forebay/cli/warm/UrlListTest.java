package io.forebay.cli.warm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.ExitCode;
import java.io.BufferedReader;
import java.io.StringReader;
import java.util.List;
import org.junit.jupiter.api.Test;

final class UrlListTest {

  @Test
  void keepsOrderAndDropsRepeatsBlanksAndRemarks() throws Exception {
    UrlList list = new UrlList();
    list.add("http://a/2", "argument");
    list.addLines(lines("# first\n\n  http://a/1  \nhttp://a/2\nhttps://b/\n"), "urls.txt");

    assertEquals(List.of("http://a/2", "http://a/1", "https://b/"), List.copyOf(list.urls()));
  }

  @Test
  void namesTheLineThatIsNoUrl() {
    CommandException refused =
        assertThrows(
            CommandException.class,
            () -> new UrlList().addLines(lines("http://a/1\n/just/a/path\n"), "urls.txt"));

    assertEquals(ExitCode.USAGE, refused.exitCode());
    assertTrue(
        CommandException.reason(refused).startsWith("urls.txt:2: '/just/a/path'"),
        refused.getMessage());
  }

  private static BufferedReader lines(String text) {
    return new BufferedReader(new StringReader(text));
  }
}
