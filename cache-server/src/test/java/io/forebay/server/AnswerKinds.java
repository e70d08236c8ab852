package io.forebay.server;

/** Paths of an origin below {@code /r/}, one for each way in which an answer can come about. */
final class AnswerKinds {
  static final byte[] BODY = TestOrigin.ascii("0123456789");

  private volatile boolean isDown;

  /**
   * Has an origin answer them.
   *
   * @param fields of all answers, each with its end
   */
  AnswerKinds(TestOrigin origin, String fields) {
    origin.on(
        "/r/stored", TestOrigin.ok("cache-control: max-age=60\r\netag: \"1\"\r\n" + fields, BODY));
    origin.on(
        "/r/checked",
        (request, connection) -> {
          if (request.field("if-none-match").isEmpty()) {
            TestOrigin.sendOk(
                connection, "cache-control: max-age=0\r\netag: \"1\"\r\n" + fields, BODY);
          } else {
            TestOrigin.notModified(connection, "etag: \"1\"\r\n" + fields);
          }
        });
    origin.on("/r/passed", passed(fields, fields));
    origin.on(
        "/r/stale",
        (request, connection) -> {
          if (isDown) {
            connection.close();
          } else {
            TestOrigin.sendOk(
                connection, "cache-control: max-age=10, stale-if-error=600\r\n" + fields, BODY);
          }
        });
    origin.on("/r/broken", (request, connection) -> connection.close());
  }

  /** A response that is not stored, after an interim one. */
  static TestOrigin.Answer passed(String interim, String fields) {
    return (request, connection) -> {
      connection.send("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n" + interim + "\r\n");
      TestOrigin.sendOk(connection, "cache-control: no-store\r\n" + fields, BODY);
    };
  }

  boolean isDown() {
    return isDown;
  }

  /** From now on {@code /r/stale} cannot be fetched. */
  void goDown() {
    isDown = true;
  }
}
