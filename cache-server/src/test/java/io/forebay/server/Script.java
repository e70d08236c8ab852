package io.forebay.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A conversation between clients, the edge and its origin, read from a file. Events happen in the
 * order of the lines; a line that starts with blanks continues the one before.
 *
 * <pre>
 *   # RFC 9111 4.3.4: a 304 freshens what is stored      the first comment is the title
 *   config                                               YAML, added to that of the edge
 *     routes: [...]
 *   client [NAME] METHOD TARGET                          sends a request
 *     Field: value
 *     | a line of the body
 *   origin [NAME] METHOD TARGET                          waits for a request at the origin
 *     Field: value                                       that has exactly this value,
 *     Field ~ regex                                      or one that matches as a whole,
 *     !Field                                             or does not have the field at all
 *     | a line of the body
 *   answer [NAME] STATUS                                 answers it, with the length of the body
 *   answer [NAME] STATUS begins                          sends the head and this part of the body
 *   answer [NAME] goes on | ends | breaks off            a further part; the end; no end
 *   expect [NAME] STATUS                                 waits for the whole response of a client
 *   expect [NAME] STATUS begins                          for its head and this part of the body
 *   expect [NAME] goes on | ends | breaks off
 *   client NAME leaves                                   closes its connection
 *   origin goes                                          it refuses connections from now on
 *   origin comes                                         it takes them again
 *   wait 10s                                             the wall clock moves on
 *   purge [soft] url|tag|prefix|host|everything TEXT
 *   count NAME N                                         waits until a counter of the loops has risen to N
 *   only http/1.1                                        runs over that protocol alone
 * </pre>
 *
 * A body line of the form <code>{bytes N}</code> stands for N bytes that look random; in values,
 * <code>{now}</code>, <code>{now+10s}</code> and <code>{now-1h}</code> are dates of HTTP, and
 * <code>{edge}</code> is the authority that clients ask for where they name no Host. Requests at
 * the origin that no line waits for fail the script when it ends.
 */
record Script(Path file, String title, String config, boolean isHttp1Only, List<Event> events) {

  /** How much of a message an event covers. */
  enum Part {
    WHOLE,
    BEGINS,
    GOES_ON,
    ENDS,
    BREAKS_OFF
  }

  /** What a field of a message is to be. */
  record Field(String name, Match match, String value) {
    enum Match {
      IS,
      MATCHES,
      ABSENT
    }
  }

  /** Something that happens; {@code line} is where it stands. */
  sealed interface Event {
    int line();
  }

  record Send(int line, String client, String method, String target, List<Field> fields, Body body)
      implements Event {}

  record Receive(
      int line, String exchange, String method, String target, List<Field> fields, Body body)
      implements Event {}

  record Answer(int line, String exchange, int status, Part part, List<Field> fields, Body body)
      implements Event {}

  record Expect(int line, String client, int status, Part part, List<Field> fields, Body body)
      implements Event {}

  record Leave(int line, String client) implements Event {}

  record OriginGoes(int line) implements Event {}

  record OriginComes(int line) implements Event {}

  record Wait(int line, long millis) implements Event {}

  record Purge(int line, boolean isSoft, String kind, String text) implements Event {}

  record Count(int line, String counter, long value) implements Event {}

  /** Lines of a body, joined by line feeds; {@code isGiven} tells an empty one from none. */
  record Body(boolean isGiven, List<String> lines) {
    private static final Pattern BYTES = Pattern.compile("\\{bytes (\\d+)}");

    byte[] bytes() {
      if (lines.size() == 1 && BYTES.matcher(lines.getFirst()).matches()) {
        String count = BYTES.matcher(lines.getFirst()).replaceAll("$1");
        return Edge.bytes(count.hashCode(), Integer.parseInt(count));
      }
      return TestOrigin.ascii(String.join("\n", lines));
    }
  }

  /** A script that can't be read. */
  static final class MalformedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MalformedException(Path file, int line, String message) {
      super(file.getFileName() + ":" + line + ": " + message);
    }
  }

  static Script read(Path file) throws IOException {
    return new Reader(file, Files.readAllLines(file)).read();
  }

  /** Milliseconds of {@code 500ms}, {@code 10s}, {@code 5m}, {@code 2h} or {@code 1d}. */
  static long millis(String text) {
    String number = text.replaceAll("[a-z]+$", "");
    long unit =
        switch (text.substring(number.length())) {
          case "ms" -> 1;
          case "s" -> 1000;
          case "m" -> 60_000;
          case "h" -> 3_600_000;
          case "d" -> 86_400_000;
          default -> throw new IllegalArgumentException("no duration: " + text);
        };
    return Long.parseLong(number) * unit;
  }

  private static final class Reader {
    private final Path file;
    private final List<String> lines;
    private int next;

    Reader(Path file, List<String> lines) {
      this.file = file;
      this.lines = lines;
    }

    Script read() {
      String title = "";
      StringBuilder config = new StringBuilder();
      boolean isHttp1Only = false;
      List<Event> events = new ArrayList<>();
      while (next < lines.size()) {
        String line = lines.get(next++);
        int number = next;
        if (line.isBlank() || line.startsWith("#")) {
          title = title.isEmpty() ? line.replaceFirst("^#\\s*", "") : title;
          continue;
        }
        if (line.startsWith(" ")) {
          throw new MalformedException(file, number, "belongs to nothing");
        }
        List<String> block = block();
        if (line.equals("config")) {
          block.forEach(part -> config.append(part).append('\n'));
        } else if (line.equals("only http/1.1")) {
          isHttp1Only = true;
        } else {
          try {
            events.add(event(number, line.strip().split("\\s+"), block));
          } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            throw new MalformedException(file, number, "not understood: " + line);
          }
        }
      }
      return new Script(file, title, config.toString(), isHttp1Only, List.copyOf(events));
    }

    /** The indented lines that follow, without the two blanks before each. */
    private List<String> block() {
      List<String> block = new ArrayList<>();
      while (next < lines.size() && lines.get(next).startsWith("  ")) {
        block.add(lines.get(next++).substring(2));
      }
      return block;
    }

    private Event event(int line, String[] words, List<String> block) {
      return switch (words[0]) {
        case "client" -> client(line, words, block);
        case "origin" ->
            switch (words[1]) {
              case "goes" -> new OriginGoes(line);
              case "comes" -> new OriginComes(line);
              default -> receive(line, words, block);
            };
        case "answer", "expect" -> message(line, words, block);
        case "wait" -> new Wait(line, millis(words[1]));
        case "count" -> new Count(line, words[1], Long.parseLong(words[2]));
        case "purge" -> {
          int at = words[1].equals("soft") ? 2 : 1;
          yield new Purge(line, at == 2, words[at], words.length > at + 1 ? words[at + 1] : "");
        }
        default -> throw new IllegalArgumentException(words[0]);
      };
    }

    private Event client(int line, String[] words, List<String> block) {
      if (words.length == 3 && words[2].equals("leaves")) {
        return new Leave(line, words[1]);
      }
      int at = isMethod(words[1]) ? 1 : 2;
      return new Send(
          line, at == 2 ? words[1] : "", words[at], words[at + 1], fields(block), body(block));
    }

    private Receive receive(int line, String[] words, List<String> block) {
      int at = isMethod(words[1]) ? 1 : 2;
      return new Receive(
          line, at == 2 ? words[1] : "", words[at], words[at + 1], fields(block), body(block));
    }

    private Event message(int line, String[] words, List<String> block) {
      List<String> rest = new ArrayList<>(List.of(words).subList(1, words.length));
      String name = "";
      if (!rest.getFirst().matches("\\d{3}") && !isPart(String.join(" ", rest))) {
        name = rest.removeFirst();
      }
      int status = 0;
      Part part = Part.WHOLE;
      if (rest.getFirst().matches("\\d{3}")) {
        status = Integer.parseInt(rest.removeFirst());
      }
      if (!rest.isEmpty()) {
        part = Part.valueOf(String.join("_", rest).toUpperCase(Locale.ROOT));
      }
      if (status == 0 && (part == Part.WHOLE || part == Part.BEGINS)) {
        throw new IllegalArgumentException("no status");
      }
      return words[0].equals("answer")
          ? new Answer(line, name, status, part, fields(block), body(block))
          : new Expect(line, name, status, part, fields(block), body(block));
    }

    private static boolean isPart(String text) {
      return text.equals("goes on") || text.equals("ends") || text.equals("breaks off");
    }

    private static boolean isMethod(String word) {
      return word.matches("[A-Z]+");
    }

    private static List<Field> fields(List<String> block) {
      List<Field> fields = new ArrayList<>();
      for (String line : block) {
        if (line.startsWith("|")) {
          continue;
        }
        if (line.startsWith("!")) {
          fields.add(new Field(line.substring(1).strip(), Field.Match.ABSENT, ""));
          continue;
        }
        String name = line.split("[ :~]", 2)[0];
        String rest = line.substring(name.length()).strip();
        fields.add(
            switch (rest.charAt(0)) {
              case ':' -> new Field(name, Field.Match.IS, rest.substring(1).strip());
              case '~' -> new Field(name, Field.Match.MATCHES, rest.substring(1).strip());
              default -> throw new IllegalArgumentException(line);
            });
      }
      return List.copyOf(fields);
    }

    private static Body body(List<String> block) {
      List<String> lines =
          block.stream()
              .filter(line -> line.startsWith("|"))
              .map(line -> line.startsWith("| ") ? line.substring(2) : line.substring(1))
              .toList();
      return new Body(!lines.isEmpty(), lines);
    }
  }
}
