package io.forebay.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.rule.RedirectMap;
import io.forebay.server.rule.RedirectMap.By;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files of redirect maps: what is read, and what is said of what is wrong. */
final class RedirectMapFileTest {
  @TempDir Path directory;

  private static @Nullable RedirectMap read(By by, String text, List<ConfigProblem> problems) {
    return new RedirectMapFile("map.txt", "key", by, 302, new TreeReader(problems))
        .read(text.getBytes(StandardCharsets.UTF_8));
  }

  private static RedirectMap readWell(By by, String text, List<ConfigProblem> problems) {
    return Objects.requireNonNull(read(by, text, problems), problems::toString);
  }

  @Test
  void entriesHaveTheStatusOfTheRuleOrTheirOwn() {
    List<ConfigProblem> problems = new ArrayList<>();
    RedirectMap map =
        readWell(
            By.PATH,
            "\uFEFF# moved \u00e4\r\n\n \t/a  /b\r\n/c\t/d 301 # why\n/%7Euser/%c3%a4 /e#top 308\n"
                + "/x/../y/* https://y.test:8443/:splat 307\n/last /z",
            problems);
    assertEquals(List.of(), problems);
    List<String> entries = new ArrayList<>();
    for (int i = 0; i < map.size(); i++) {
      entries.add(
          map.from(i) + (map.isPrefix(i) ? "*" : "") + " " + map.to(i) + " " + map.status(i));
    }
    assertEquals(
        List.of(
            "/a /b 302",
            "/c /d 301",
            "/~user/%C3%A4 /e#top 308",
            "/y/* https://y.test:8443/:splat 307",
            "/last /z 302"),
        entries);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "PATH | /a           | 1:1 | an entry without a target; write FROM TO, or FROM TO STATUS",
        "PATH | ' /a # /b'   | 1:2 | an entry without a target",
        "PATH | /a /b 301 c  | 1:11 | more than FROM, TO and STATUS; percent-encode blanks as %20",
        "PATH | /a /b 200    | 1:7 | \"200\" is not the status of a redirect; write 301, 302, 303, 307 or 308",
        "PATH | /a /b 301!   | 1:7 | \"301!\" is not the status of a redirect",
        "PATH | a /b         | 1:1 | \"a\" is not a path; begin it with a slash; with by: host-path entries are HOST/PATH",
        "PATH | https://x.test/a /b | 1:1 | \"https://x.test/a\" is not a path",
        "PATH | /a?b /c      | 1:3 | queries are not compared; remove the query, or set by: uri",
        "PATH | /a#b /c      | 1:1 | \"/a#b\" is not what a request can ask for",
        "PATH | /a%zz /c     | 1:1 | \"/a%zz\" is not what a request can ask for; percent-encode",
        "PATH | /\u00e4 /c  | 1:2 | a character that no URL has; write ASCII, and percent-encode other characters",
        "PATH | /a*b /c      | 1:1 | a * can only stand at the end, behind a slash; use a rule with a regex",
        "PATH | /a* /c       | 1:1 | a * can only stand at the end, behind a slash",
        "PATH | /a/:id /c    | 1:1 | placeholders are not known here; write a prefix as /old/*",
        "PATH | /a b         | 1:4 | \"b\" is not a target; begin it with a slash, or with http:// or https:// and a host",
        "PATH | /a //b/      | 1:4 | \"//b/\" is not a target",
        "PATH | /a ftp://b/  | 1:4 | \"ftp://b/\" is not a target",
        "PATH | /a https://u@b/ | 1:4 | is not a target",
        "PATH | /a https:///b | 1:4 | is not a target",
        "PATH | /a/* https://:splat/ | 1:6 | is not a target",
        "PATH | /a/* https://b:splat/ | 1:6 | is not a target",
        "PATH | /a/* https://b.:splat | 1:6 | is not a target",
        "PATH | /a /b<c>     | 1:6 | a character that no URL has; percent-encode it",
        "PATH | /a /b;       | 1:6 | a semicolon ends the target; remove it, or write %3B",
        "PATH | /a /b/:splat | 1:7 | :splat stands for what follows a prefix, and this is none; end FROM with /*",
        "PATH | /a/* /b/*    | 1:9 | a * in a target stands for itself; write :splat for what follows the prefix",
        "PATH | /a /a        | 1:1 | /a leads to itself; remove the line",
        "PATH | /a /a#b      | 1:1 | /a leads to itself",
        "PATH | /a/* /a/b/:splat | 1:1 | /a/ leads to itself",
        "PATH | /* /b        | 1:1 | / leads to itself",
        "PATH | '/a /b\\n\\n/a /c' | 3:1 | /a is already in line 1; keep one of them",
        "PATH | '/a /b\\n/%61 /c' | 2:1 | /%61 is already in line 1",
        "PATH | '/a/* /b\\n/a/* /c' | 2:1 | /a/* is already in line 1",
        "URI  | /a/?b/* /c    | 1:4 | a prefix of a query; end it before the query",
        "URI  | /a?b /a?b    | 1:1 | /a?b leads to itself",
        "HOST_PATH | /a /b   | 1:1 | not HOST/PATH; write such as www.example.com/old, without scheme and port",
        "HOST_PATH | x.test /b | 1:1 | not HOST/PATH",
        "HOST_PATH | x.test:80/a /b | 1:1 | not HOST/PATH",
        "HOST_PATH | http://x.test/a /b | 1:1 | not HOST/PATH",
        "HOST_PATH | '*.test/a /b' | 1:1 | can only stand at the end",
        "HOST_PATH | x.test/a /a | 1:1 | x.test/a leads to itself",
      })
  void whatIsWrongIsSaidWithLineAndColumn(By by, String text, String place, String expected) {
    List<ConfigProblem> problems = new ArrayList<>();
    String lines = text.replace("\\n", "\n");
    assertEquals(null, read(by, lines, problems));
    assertEquals(1, problems.size(), problems::toString);
    String said = problems.getFirst().text();
    assertTrue(said.startsWith("map.txt:" + place + ": key: "), said);
    assertTrue(said.contains(expected), said);
  }

  @Test
  void whatOnlySeemsToLeadToItselfIsFine() {
    List<ConfigProblem> problems = new ArrayList<>();
    read(By.PATH, "/a /a?b=1\n/c/* /c\n/d/* /d/e\n/d/e /f\n/g https://x.test/g\n", problems);
    read(By.URI, "/a /a?b\n/a?b /c\n", problems);
    read(By.HOST_PATH, "x.test/a https://y.test/a\n", problems);
    assertEquals(List.of(), problems);
  }

  @Test
  void aFileWithManyProblemsIsGivenUp() {
    List<ConfigProblem> problems = new ArrayList<>();
    assertEquals(null, read(By.PATH, "/a\n".repeat(1000), problems));
    assertEquals(RedirectMapFile.MAX_PROBLEMS, problems.size());
    assertTrue(problems.getLast().text().endsWith("(what follows was not read)"));
    String longest = "/" + "a".repeat(RedirectMapFile.MAX_TEXT - 1);
    problems.clear();
    read(By.PATH, longest + " /b\n" + longest + "a /b\n", problems);
    assertEquals(1, problems.size(), problems::toString);
    assertTrue(problems.getFirst().text().contains("longer than 4096 characters"));
  }

  private ConfigOutcome load(String rules) throws IOException {
    Path file = directory.resolve("forebay.yaml");
    Files.writeString(file, "origin: http://127.0.0.1:9\n" + rules.replace("DIR", "" + directory));
    return new ConfigLoader(ConfigEnvironment.system()).load(file, Map.of());
  }

  @Test
  void aChangedFileIsListedByTheNameOfItsRoute() throws IOException {
    Files.writeString(directory.resolve("map"), "/a /b\n");
    String mapped = "rules: [{redirect: {map: DIR/map, status: 301}}]";
    String first = "  - {name: one, match: {path: /1}, " + mapped + "}\n";
    String second = "  - {name: two, match: {path: /2}, " + mapped + "}\n";
    String set = "rule-sets: {moved: [{redirect: {map: DIR/map}}]}\n";
    ConfigOutcome.Loaded before =
        assertInstanceOf(ConfigOutcome.Loaded.class, load(set + "routes:\n" + first + second));
    assertEquals(
        List.of(),
        assertInstanceOf(ConfigOutcome.Loaded.class, load(set + "routes:\n" + second + first))
            .files()
            .changedSince(before.files()));
    Files.writeString(directory.resolve("map"), "/a /c\n");
    ConfigOutcome.Loaded after =
        assertInstanceOf(ConfigOutcome.Loaded.class, load(set + "routes:\n" + second));
    assertEquals(
        List.of("routes.two.rules.0.redirect.map", "rule-sets.moved.rules.0.redirect.map"),
        after.files().changedSince(before.files()));
  }

  @Test
  void aProblemOfTheFileIsOneOfTheConfiguration() throws IOException {
    Files.writeString(directory.resolve("map"), "/a /b\n/a /c\n");
    ConfigOutcome.Refused refused =
        assertInstanceOf(
            ConfigOutcome.Refused.class,
            load("routes: [{rules: [{redirect: {map: DIR/map}}, {redirect: {map: DIR/map}}]}]\n"));
    assertEquals(1, refused.problems().size(), refused::toString);
    assertEquals(
        directory
            + "/map:2:1: routes.0.rules.0.redirect.map: /a is already in line 1; keep one of them",
        refused.problems().getFirst().text());
  }
}
