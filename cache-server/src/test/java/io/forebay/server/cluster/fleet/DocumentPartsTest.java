package io.forebay.server.cluster.fleet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.cluster.fleet.FleetDocument.File;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DocumentPartsTest {
  private static final File MAIN = file(FleetDocument.MAIN, "routes: {}\n");

  private static File file(String name, String text) {
    return new File(name, text.getBytes(StandardCharsets.UTF_8));
  }

  private static File random(String name, int length, long seed) {
    byte[] content = new byte[length];
    new SplittableRandom(seed).nextBytes(content);
    return new File(name, content);
  }

  private static FleetDocument read(String manifest, Map<String, String> parts)
      throws FleetException {
    return DocumentParts.read(manifest, parts);
  }

  private static void assertRefused(String why, String manifest, Map<String, String> parts) {
    FleetException refused = assertThrows(FleetException.class, () -> read(manifest, parts));
    assertTrue(String.valueOf(refused.getMessage()).contains(why), refused.toString());
  }

  private static String packed(byte[] bytes) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (DeflaterOutputStream deflating = new DeflaterOutputStream(out)) {
      deflating.write(bytes);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return Base64.getEncoder().encodeToString(out.toByteArray());
  }

  /** The parts of a manifest that nobody has made by the rules. */
  private static Map<String, String> forged(String manifest, Map<String, String> others) {
    Map<String, String> parts = new HashMap<>(others);
    byte[] bytes = manifest.getBytes(StandardCharsets.UTF_8);
    parts.put(DocumentParts.hash(bytes), packed(bytes));
    return parts;
  }

  private static void assertForgedRefused(String why, String manifest, Map<String, String> others) {
    assertRefused(
        why,
        DocumentParts.hash(manifest.getBytes(StandardCharsets.UTF_8)),
        forged(manifest, others));
  }

  @Test
  void aDocumentComesBackAsItWas() throws FleetException {
    FleetDocument document =
        FleetDocument.of(
            List.of(
                random("maps/large.csv", 3 * DocumentParts.MAX_PIECE_BYTES + 17, 1),
                random("maps/exact.csv", DocumentParts.MAX_PIECE_BYTES, 2),
                file("errors/empty.html", ""),
                MAIN));
    DocumentParts parts = DocumentParts.of(document);
    for (String text : parts.texts().values()) {
      assertTrue(text.length() <= DocumentParts.MAX_PART_LENGTH, "" + text.length());
    }
    FleetDocument again = read(parts.manifest(), parts.texts());
    assertEquals(
        List.of("errors/empty.html", "fleet.yaml", "maps/exact.csv", "maps/large.csv"),
        again.files().stream().map(File::name).toList());
    for (int i = 0; i < again.files().size(); i++) {
      assertArrayEquals(document.files().get(i).content(), again.files().get(i).content());
    }
  }

  @Test
  void whatStaysTheSameHasTheSameParts() throws FleetException {
    File map = random("map.csv", DocumentParts.MAX_PIECE_BYTES * 2, 3);
    DocumentParts first = DocumentParts.of(FleetDocument.of(List.of(MAIN, map)));
    DocumentParts second =
        DocumentParts.of(FleetDocument.of(List.of(file(FleetDocument.MAIN, "origins: {}\n"), map)));
    Set<String> common = new HashSet<>(first.texts().keySet());
    common.retainAll(second.texts().keySet());
    assertEquals(2, common.size());
  }

  @Test
  void moreThanTheLimitIsRefusedWithItsSize() {
    File large = new File("a", new byte[FleetDocument.MAX_BYTES]);
    FleetException refused =
        assertThrows(FleetException.class, () -> FleetDocument.of(List.of(large, MAIN)));
    assertTrue(String.valueOf(refused.getMessage()).contains("16777227 bytes"), refused.toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../fleet.yaml",
        "/etc/passwd",
        "a//b",
        "a/../b",
        "a/",
        ".hidden",
        "a/.hidden",
        "a\\b",
        "a b",
        "a\u0000",
        "",
        "a/b/c/d/e/f/g/h/i",
        "fleet.yaml",
        "fleet.yaml/a"
      })
  void namesThatLeadElsewhereOrMeetAreRefused(String name) {
    assertThrows(FleetException.class, () -> FleetDocument.of(List.of(MAIN, file(name, "x"))));
  }

  @Test
  void aDocumentNeedsItsMainFileAndHasAtMostSoManyFiles() {
    assertThrows(FleetException.class, () -> FleetDocument.of(List.of(file("other.yaml", ""))));
    List<File> many = new ArrayList<>(List.of(MAIN));
    for (int i = 0; i < FleetDocument.MAX_FILES; i++) {
      many.add(file("f" + i, ""));
    }
    assertThrows(FleetException.class, () -> FleetDocument.of(many));
  }

  @Test
  void aPartThatIsMissingTruncatedOrOfOtherContentIsRefused() throws FleetException {
    DocumentParts made = DocumentParts.of(FleetDocument.of(List.of(MAIN, random("m", 2_000, 4))));
    for (String hash : made.texts().keySet()) {
      String text = String.valueOf(made.texts().get(hash));
      Map<String, String> parts = new HashMap<>(made.texts());
      parts.remove(hash);
      assertRefused("missing", made.manifest(), parts);
      byte[] raw = Base64.getDecoder().decode(text);
      for (int length : new int[] {0, 1, raw.length / 2, raw.length - 1}) {
        parts.put(hash, Base64.getEncoder().encodeToString(Arrays.copyOf(raw, length)));
        assertThrows(FleetException.class, () -> read(made.manifest(), parts));
      }
      parts.put(hash, packed("something else".getBytes(StandardCharsets.UTF_8)));
      assertRefused("other content", made.manifest(), parts);
      parts.put(hash, "no base64!");
      assertRefused("no zlib in base64", made.manifest(), parts);
      parts.put(hash, Base64.getEncoder().encodeToString(Arrays.copyOf(raw, raw.length + 3)));
      assertRefused("behind its end", made.manifest(), parts);
    }
  }

  @Test
  void eachByteThatIsChangedIsFound() throws FleetException {
    DocumentParts made = DocumentParts.of(FleetDocument.of(List.of(MAIN)));
    for (String hash : made.texts().keySet()) {
      byte[] raw = Base64.getDecoder().decode(made.texts().get(hash));
      for (int i = 0; i < raw.length; i++) {
        byte[] changed = raw.clone();
        changed[i] ^= 0x11;
        Map<String, String> parts = new HashMap<>(made.texts());
        parts.put(hash, Base64.getEncoder().encodeToString(changed));
        assertThrows(FleetException.class, () -> read(made.manifest(), parts), "byte " + i);
      }
    }
  }

  @Test
  void whatUnpacksToMoreThanAPieceIsRefusedAndTakesNoMoreMemory() {
    String bomb = packed(new byte[64 << 20]);
    assertTrue(bomb.length() < DocumentParts.MAX_PART_LENGTH, "it is small: " + bomb.length());
    String hash = "a".repeat(64);
    assertRefused("unpacks to more", hash, Map.of(hash, bomb));
    String large = "A".repeat(DocumentParts.MAX_PART_LENGTH + 4);
    assertRefused("longer than 512KiB", hash, Map.of(hash, large));
  }

  @Test
  void aManifestThatDoesNotFitItsFilesIsRefused() {
    byte[] content = "routes: {}\n".getBytes(StandardCharsets.UTF_8);
    String part = DocumentParts.hash(content);
    Map<String, String> parts = Map.of(part, packed(content));
    String format = "{\"v\":1,\"files\":[{\"name\":\"%s\",\"size\":%s,\"parts\":[%s]}]}";
    assertForgedRefused(
        "a part of fleet.yaml has 11 bytes",
        format.formatted("fleet.yaml", 12, "\"" + part + "\""),
        parts);
    assertForgedRefused("parts that its size needs", format.formatted("fleet.yaml", 11, ""), parts);
    assertForgedRefused(
        "parts that its size needs", format.formatted("fleet.yaml", 11, "\"../x\""), parts);
    assertForgedRefused(
        "size must be a number",
        format.formatted("fleet.yaml", 1L << 40, "\"" + part + "\""),
        parts);
    assertForgedRefused(
        "no file fleet.yaml", format.formatted("other.yaml", 11, "\"" + part + "\""), parts);
    assertForgedRefused("cannot be read", "[]", parts);
    assertForgedRefused("cannot be read", "{\"v\":1", parts);
    // Many files that are within the limit each.
    List<String> files = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      int pieces = 20;
      files.add(
          "{\"name\":\"f%d\",\"size\":%d,\"parts\":[%s]}"
              .formatted(
                  i,
                  pieces * DocumentParts.MAX_PIECE_BYTES,
                  String.join(",", Collections.nCopies(pieces, "\"" + part + "\""))));
    }
    files.add("{\"name\":\"fleet.yaml\",\"size\":0,\"parts\":[]}");
    assertForgedRefused(
        "(16MiB) are allowed", "{\"v\":1,\"files\":[" + String.join(",", files) + "]}", parts);
  }
}
