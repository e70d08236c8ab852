package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Commands;
import io.forebay.testing.Jar;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code forebay purge} takes from its environment, and what its process prints. */
final class PurgeIT {
  @TempDir private Path directory;
  private ScriptedAdmin admin;

  @BeforeEach
  void start() throws Exception {
    admin = new ScriptedAdmin();
  }

  @AfterEach
  void stop() {
    admin.close();
  }

  @Test
  void sendsEveryKindAndSaysWhatIsInForce() throws Exception {
    for (int i = 0; i < 5; i++) {
      admin.answers(200, ScriptedAdmin.PURGED);
    }

    Commands.Finished ended =
        jar()
            .run(
                "purge",
                "http://a/x",
                "--tag",
                "t1",
                "--tag",
                "t2",
                "--prefix",
                "http://a/p/",
                "--host",
                "a",
                "--all",
                "--soft");

    assertEquals("", ended.err());
    assertEquals(0, ended.exit());
    assertTrue(ended.out().contains("http://a/x"), ended.out());
    assertTrue(ended.out().contains("matched 3"), ended.out());
    assertTrue(ended.out().contains("on disk and in force"), ended.out());
    List<ScriptedAdmin.Asked> asked = admin.asked();
    assertEquals(5, asked.size());
    asked.forEach(one -> assertEquals("POST /v1/purge", one.method() + " " + one.target()));
    asked.forEach(one -> assertTrue(one.json().path("soft").asBoolean()));
    assertEquals("[\"http://a/x\"]", asked.get(0).json().path("urls").toString());
    assertEquals("[\"t1\",\"t2\"]", asked.get(1).json().path("tags").toString());
    assertEquals("[\"http://a/p/\"]", asked.get(2).json().path("prefixes").toString());
    assertEquals("[\"a\"]", asked.get(3).json().path("hosts").toString());
    assertTrue(asked.get(4).json().path("everything").asBoolean());
  }

  @Tag("full")
  @Test
  void tokenComesFromAFileOrTheEnvironment() throws Exception {
    Path token = directory.resolve("token");
    Files.writeString(token, "from-file\n");
    admin
        .answers(200, ScriptedAdmin.PURGED)
        .answers(200, ScriptedAdmin.PURGED)
        .answers(200, ScriptedAdmin.PURGED)
        .answers(401, "{\"error\":\"token wanted\"}");

    jar().run("purge", "http://a/x", "--token-file", token.toString());
    jar()
        .env("FOREBAY_ADMIN_TOKEN", "from-environment")
        .env("FOREBAY_ADMIN_TOKEN_FILE", token.toString())
        .run("purge", "http://a/x");
    jar().env("FOREBAY_ADMIN_TOKEN_FILE", token.toString()).run("purge", "http://a/x");
    Commands.Finished refused = jar().run("purge", "http://a/x");

    assertEquals("Bearer from-file", admin.asked().get(0).authorization());
    assertEquals("Bearer from-environment", admin.asked().get(1).authorization());
    assertEquals("Bearer from-file", admin.asked().get(2).authorization());
    assertEquals("", admin.asked().get(3).authorization());
    assertEquals(1, refused.exit());
    assertTrue(refused.err().contains("FOREBAY_ADMIN_TOKEN"), refused.err());
  }

  @Test
  void nobodyThereIsOneLine() throws Exception {
    String url = admin.url();
    admin.close();

    Commands.Finished ended = Jar.with().run("purge", "http://a/x", "--admin-url", url);

    assertEquals(1, ended.exit());
    assertEquals(1, ended.errLines().size(), ended.err());
    assertTrue(ended.err().contains(url), ended.err());
  }

  private Jar jar() {
    return Jar.quick().env("FOREBAY_ADMIN_URL", admin.url());
  }
}
