package io.forebay.cli.console;

import java.io.PrintWriter;
import tools.jackson.databind.json.JsonMapper;

/** A command's output: text for people, or one JSON object per line for programs. */
public final class Output {
  /** Made when it is first needed: a server's start does not wait for it. */
  private static final class Json {
    static final JsonMapper MAPPER = JsonMapper.builder().build();
  }

  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean isJson;
  private final boolean isColoured;

  public Output(PrintWriter out, PrintWriter err, boolean isJson, boolean isColoured) {
    this.out = out;
    this.err = err;
    this.isJson = isJson;
    this.isColoured = isColoured;
  }

  public boolean isJson() {
    return isJson;
  }

  public boolean isColoured() {
    return isColoured;
  }

  /** A line for people; nothing where a program reads. */
  public void line(String text) {
    if (!isJson) {
      out.println(text);
      out.flush();
    }
  }

  /** An object for programs, on one line; nothing where a person reads. */
  public void json(Object value) {
    if (isJson) {
      out.println(Json.MAPPER.writeValueAsString(value));
      out.flush();
    }
  }

  /** Text that is itself the product, such as a schema. */
  public void raw(String text) {
    out.print(text.endsWith("\n") ? text : text + "\n");
    out.flush();
  }

  /** A remark beside the product: progress, warnings. */
  public void note(String text) {
    err.println(text);
    err.flush();
  }

  public String strong(String text) {
    return styled("1", text);
  }

  public String good(String text) {
    return styled("32", text);
  }

  public String bad(String text) {
    return styled("31", text);
  }

  public String faint(String text) {
    return styled("2", text);
  }

  private String styled(String code, String text) {
    return isColoured ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }

  public static JsonMapper mapper() {
    return Json.MAPPER;
  }
}
