package io.forebay.server.origin.drain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DrainFileTest {
  private static final Drain FIRST =
      new Drain("api", "http://10.0.0.1:80", 1_700_000_000_000L, "kernel update");
  private static final Drain SECOND = new Drain("web", "[fd00:0:0:0:0:0:0:1]:8080", 1, "");

  @TempDir Path directory;
  private DrainFile file;
  private Path path;

  @BeforeEach
  void place() {
    file = new DrainFile(directory);
    path = directory.resolve(DrainFile.NAME);
  }

  @Test
  void readsWhatItWrote() throws IOException {
    file.write(Drains.NONE.with(FIRST).with(SECOND));
    assertEquals(Drains.NONE.with(FIRST).with(SECOND).all(), file.read().all());
    assertEquals(
        """
        forebay drained servers 1
        1700000000000 api http://10.0.0.1:80 kernel update
        1 web [fd00:0:0:0:0:0:0:1]:8080
        """,
        Files.readString(path));
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
  }

  @Test
  void withoutDrainsThereIsNoFile() throws IOException {
    assertEquals(Drains.NONE, file.read());
    file.write(Drains.NONE.with(FIRST));
    file.write(Drains.NONE);
    assertFalse(Files.exists(path));
    assertEquals(Drains.NONE, file.read());
  }

  @Test
  void holdsAsManyAsThereMayBe() throws IOException {
    Drains all = Drains.NONE;
    String reason = "r".repeat(Drain.MAX_REASON);
    for (int i = 0; !all.isFull(); i++) {
      all = all.with(new Drain("a".repeat(64), "http://" + "h".repeat(250) + ":" + i, i, reason));
    }
    file.write(all);
    assertEquals(Drains.MAX, file.read().all().size());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "forebay drained servers 1",
        "forebay drained servers 2\n",
        "forebay drained servers 1\n1 api http://a:80",
        "forebay drained servers 1\n\n",
        "forebay drained servers 1\n1 api\n",
        "forebay drained servers 1\n-1 api http://a:80\n",
        "forebay drained servers 1\n1234567890123456 api http://a:80\n",
        "forebay drained servers 1\n1 a.p.i http://a:80\n",
        "forebay drained servers 1\n1 api http://a:80 \n",
        "forebay drained servers 1\n1 api http://a:80 \u0007\n",
        "forebay drained servers 1\n1 api http://a:80\n1 api http://a:80\n",
        "forebay drained servers 1\n1 api http://a:80\r\n",
      })
  void aDamagedFileIsSetAside(String content) throws IOException {
    Files.writeString(path, content);
    assertEquals(Drains.NONE, file.read());
    assertFalse(Files.exists(path));
    assertEquals(content, Files.readString(directory.resolve(DrainFile.NAME + ".broken")));
    file.write(Drains.NONE.with(FIRST));
    assertEquals(1, file.read().all().size());
  }

  @Test
  void aFileWithTooManyDrainsIsSetAside() throws IOException {
    Files.writeString(
        path,
        IntStream.rangeClosed(0, Drains.MAX)
            .mapToObj(i -> "1 api http://a:" + i + "\n")
            .collect(Collectors.joining("", "forebay drained servers 1\n", "")));
    assertEquals(Drains.NONE, file.read());
  }

  @Test
  void aFileThatIsTooLongIsSetAside() throws IOException {
    Files.writeString(path, "forebay drained servers 1\n" + "1 api http://a:80\n".repeat(1 << 16));
    assertEquals(Drains.NONE, file.read());
    assertTrue(Files.size(directory.resolve(DrainFile.NAME + ".broken")) > 1 << 16);
  }

  @Test
  void aLinkIsNotFollowed() throws IOException {
    Path elsewhere = Files.writeString(directory.resolve("elsewhere"), "secret");
    Files.createSymbolicLink(path, elsewhere);
    assertThrows(IOException.class, file::read);
    assertEquals("secret", Files.readString(elsewhere));
  }

  @Test
  void aDrainOfAServerHoldsForEachOfItsAddresses() {
    Drains drains = Drains.NONE.with(FIRST);
    assertEquals(FIRST, drains.find("api", "http://10.0.0.1:80", "10.0.0.1:80"));
    assertEquals(null, drains.find("web", "http://10.0.0.1:80", "10.0.0.1:80"));
    assertEquals(SECOND, drains.with(SECOND).find("web", "http://b:8080", SECOND.target()));
    assertEquals(Drains.NONE, drains.without(FIRST));
  }
}
