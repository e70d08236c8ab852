package io.forebay.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

final class ConfigReferenceTest {
  /** Surefire runs tests in the module's directory. */
  private static final Path DOCUMENT = Path.of("..", "docs", "CONFIG.md");

  @TempDir Path directory;

  @Test
  void theDocumentIsUpToDate() throws IOException {
    String expected = ConfigReference.markdown();
    if (Boolean.getBoolean("forebay.docs.write")) {
      Files.createDirectories(DOCUMENT.getParent());
      Files.writeString(DOCUMENT, expected);
    }
    assertEquals(
        expected,
        Files.readString(DOCUMENT),
        "docs/CONFIG.md is stale; its first comment says how to write it again");
  }

  @Test
  void everyKeyIsDocumented() {
    String markdown = ConfigReference.markdown();
    for (Section<?> section : ConfigKeys.SECTIONS) {
      for (Field<?, ?> field : section.fields()) {
        assertTrue(markdown.contains("| `" + section.documentedPath(field) + "` |"));
      }
    }
  }

  @Test
  void theExamplesOfTheDocumentLoad() throws IOException {
    Path pem = Files.writeString(directory.resolve("cert.pem"), "x");
    String markdown = ConfigReference.markdown();
    List<String> examples = new ArrayList<>();
    Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL)
        .matcher(markdown)
        .results()
        .forEach(match -> examples.add(match.group(1)));
    assertEquals(2, examples.size());
    for (String example : examples) {
      Path file =
          Files.writeString(
              directory.resolve("example.yaml"),
              example.replaceAll("/etc/forebay/tls/[a-z]+\\.pem", pem.toString()));
      ConfigOutcome outcome =
          new ConfigLoader(
                  new ConfigEnvironment(
                      Map.of("ADMIN_TOKEN", "0123456789abcdef"),
                      directory,
                      directory,
                      directory,
                      directory,
                      "forebay-test"))
              .load(file, Map.of());
      assertInstanceOf(ConfigOutcome.Loaded.class, outcome, outcome::toString);
    }
  }

  @Test
  void everyDefaultIsAValueOfItsTypeAndOfItsSchema() throws Exception {
    for (Section<?> section : ConfigKeys.SECTIONS) {
      for (Field<?, ?> field : section.fields()) {
        String text = field.defaultText();
        if (text == null) {
          assertTrue(!field.defaultNote().isEmpty(), section.documentedPath(field));
        } else {
          assertNotNull(field.type().reader().read(text));
          assertTrue(
              text.matches("(" + field.type().pattern() + ")"), section.documentedPath(field));
        }
      }
    }
  }

  @Test
  void theSchemaKnowsEveryKey() {
    JsonNode schema = JsonMapper.shared().readTree(ConfigReference.schema());
    JsonNode properties = schema.get("properties");
    for (Section<?> section : ConfigKeys.SECTIONS) {
      for (Field<?, ?> field : section.fields()) {
        JsonNode node = properties;
        if (section.shape() == Section.Shape.LIST_IN_NAMED) {
          node = object(properties.get(section.outer()));
          node = object(node.get("additionalProperties"));
          node = node.get("properties").get(section.lastPart());
          node = node.get("anyOf").get(1);
          node = object(node.get("items")).get("properties");
        } else if (!section.prefix().isEmpty()) {
          node = properties.get(section.prefix());
          node = object(object(node).get("properties") == null ? node : object(node));
          if (node.has("items")) {
            node = object(node.get("items"));
          } else if (node.has("additionalProperties")
              && node.get("additionalProperties").isObject()) {
            node = object(node.get("additionalProperties"));
          }
          node = node.get("properties");
        }
        for (String part : field.name().split("\\.", -1)) {
          JsonNode next = node.get(part);
          assertNotNull(next, section.documentedPath(field));
          node = next.has("properties") ? next.get("properties") : next;
        }
        assertTrue(node.has("description"), section.documentedPath(field));
      }
    }
  }

  /** The alternative of an anyOf that is an object or a list. */
  private static JsonNode object(JsonNode node) {
    if (!node.has("anyOf")) {
      return node;
    }
    for (JsonNode shape : node.get("anyOf")) {
      String type = shape.path("type").asString("");
      if (type.equals("object") || type.equals("array")) {
        return shape;
      }
    }
    throw new AssertionError("neither object nor list: " + node);
  }
}
