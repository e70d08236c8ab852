package io.forebay.lab.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.result.ResultFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChromiumScreenshotsTest {

  private static final String MAKES_A_PICTURE =
      """
      #!/bin/sh
      for argument; do
        case $argument in --screenshot=*) echo png > "${argument#--screenshot=}";; esac
      done
      """;

  @TempDir Path directory;

  @Test
  void theFirstProgramOnThePathIsTaken() throws Exception {
    Path program = program("chromium-browser", MAKES_A_PICTURE);

    assertEquals(
        Optional.of(new ChromiumScreenshots(program)),
        ChromiumScreenshots.find("/nowhere::" + program.getParent()));
    assertEquals(Optional.empty(), ChromiumScreenshots.find("/nowhere"));
  }

  @Test
  void picturesAreLinkedByTheMarkdown() throws Exception {
    ChromiumScreenshots browser = new ChromiumScreenshots(program("chromium", MAKES_A_PICTURE));

    List<String> notes =
        Report.write(
            List.of(ResultFixture.run("own", List.of(ResultFixture.step("a", 1, Map.of(), 1)))),
            directory,
            Optional.of(browser));

    assertTrue(Files.exists(directory.resolve("plots/steps-timeline-1.png")), notes.toString());
    assertTrue(
        Files.readString(directory.resolve("report.md")).contains("plots/steps-timeline-1.png"));
  }

  @Test
  void aBrowserThatFailsIsToldAndNoError() throws Exception {
    ChromiumScreenshots browser =
        new ChromiumScreenshots(program("chromium", "#!/bin/sh\nexit 7\n"));

    List<String> notes =
        Report.write(
            List.of(ResultFixture.run("own", List.of(ResultFixture.step("a", 1, Map.of(), 1)))),
            directory,
            Optional.of(browser));

    assertTrue(notes.getFirst().contains("made no picture"), notes.toString());
    assertTrue(Files.readString(directory.resolve("report.md")).contains(".svg"));
    assertFalse(Files.exists(directory.resolve("plots/steps-timeline-1.png")));
  }

  @Test
  @Tag("full")
  void chromiumMakesAPicture() throws Exception {
    Optional<ChromiumScreenshots> browser =
        ChromiumScreenshots.find(System.getenv().getOrDefault("PATH", ""));
    Assumptions.assumeTrue(browser.isPresent(), "Chromium is not installed");
    Path png = directory.resolve("a.png");

    assertTrue(browser.get().picture("<!DOCTYPE html><p>Hello</p>", png, 100, 50));

    byte[] bytes = Files.readAllBytes(png);
    assertEquals('P', bytes[1]);
  }

  private Path program(String name, String script) throws Exception {
    Path program = Files.writeString(directory.resolve(name), script);
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    return program;
  }
}
