package io.forebay.server.origin.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which file a target names. */
final class FileTargetTest {

  @ParameterizedTest
  @CsvSource({
    "/a.txt,             a.txt,           false",
    "/a/b%20c?q=/../x,   a/b c,           false",
    "/a%2525,            a%25,            false",
    "/a;v=1/b,           a;v=1/b,         false",
    "/..;/a,             '',              false",
    "/%C3%A4/,           ä,               true",
    "/.well-known/a,     .well-known/a,   false",
  })
  void decodesATargetOnce(String target, String path, boolean isDirectory) {
    FileTarget read = FileTarget.of(target, path.isEmpty());
    assertNotNull(read);
    if (!path.isEmpty()) {
      assertEquals(path, new String(read.path(), StandardCharsets.UTF_8));
    }
    assertEquals(isDirectory, read.isDirectory());
  }

  @Test
  void theRootIsADirectory() {
    FileTarget root = FileTarget.of("/", false);
    assertNotNull(root);
    assertEquals(0, root.path().length);
    assertTrue(root.isDirectory());
    assertEquals("index.html", new String(root.of("index.html"), StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*",
        "a",
        "/..",
        "/../a",
        "/.",
        "/./a",
        "/a/%2e%2e/b",
        "/a/%2E%2E",
        "/..%2Fa",
        "/a%2Fb",
        "/a%5Cb",
        "/a\\b",
        "/a%00.txt",
        "/a%0A",
        "/a%7F",
        "/a%",
        "/a%2",
        "/a%zz",
        "//a",
        "/a//b",
        "/a//",
        "//",
        "/%C0%AE%C0%AE/a",
        "/%FF",
        "/.hidden",
        "/%2Ehidden",
        "/a/.git/config",
        "/..;/a",
        "/a/.well-known/b",
        "/.well-known/.x",
      })
  void whatNoFileCanBeIsRefused(String target) {
    assertNull(FileTarget.of(target, false));
  }

  @Test
  void aRedirectIsRelativeAndKeepsTheQuery() {
    FileTarget target = FileTarget.of("/x/a:b%20c?d", false);
    assertNotNull(target);
    assertEquals("./a:b%20c/?d", target.directoryReference());
  }
}
