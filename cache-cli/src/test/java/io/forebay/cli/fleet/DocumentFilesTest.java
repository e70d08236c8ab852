package io.forebay.cli.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.console.CommandException;
import io.forebay.server.cluster.fleet.FleetDocument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DocumentFilesTest {
  @TempDir Path directory;
  private Path document;

  @BeforeEach
  void start() throws IOException {
    document = Files.createDirectory(directory.resolve("fleet"));
    Files.writeString(document.resolve("fleet.yaml"), "include: routes/*.yaml");
    Files.createDirectories(directory.resolve("common/more"));
    Files.writeString(directory.resolve("common/more/shop.yaml"), "routes: []");
  }

  private List<String> names() {
    return DocumentFiles.read(document).files().stream().map(FleetDocument.File::name).toList();
  }

  @Test
  void whatLinksLeadToTravelsAndHiddenFilesDoNot() throws IOException {
    Files.createSymbolicLink(document.resolve("routes"), directory.resolve("common"));
    Files.createSymbolicLink(
        document.resolve("shop.yaml"), directory.resolve("common/more/shop.yaml"));
    Path hidden = Files.createDirectory(document.resolve(".git"));
    Files.createSymbolicLink(hidden.resolve("circle"), document);
    assertEquals(List.of("fleet.yaml", "routes/more/shop.yaml", "shop.yaml"), names());
  }

  @Test
  void aCircleOfLinksAndALinkThatLeadsNowhereAreNamed() throws IOException {
    Path link = Files.createSymbolicLink(document.resolve("circle"), document);
    assertTrue(
        String.valueOf(assertThrows(CommandException.class, this::names).getMessage())
            .contains("circle"));
    Files.delete(link);
    Files.createSymbolicLink(document.resolve("lost"), directory.resolve("nowhere"));
    assertTrue(
        String.valueOf(assertThrows(CommandException.class, this::names).getMessage())
            .contains("lost"));
  }
}
