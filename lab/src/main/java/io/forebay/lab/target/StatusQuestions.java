package io.forebay.lab.target;

import java.io.IOException;

/** A status page that a program counts among its requests, so that questions are counted here. */
final class StatusQuestions {
  private final int port;
  private final String path;
  private long asked;
  private long bytes;

  /**
   * A status page, read.
   *
   * @param earlier questions, without this one
   * @param earlierBytes of their answers
   */
  record Answer(String text, long earlier, long earlierBytes) {}

  StatusQuestions(int port, String path) {
    this.port = port;
    this.path = path;
  }

  synchronized Answer ask() throws IOException, InterruptedException {
    String text = StatusPage.get(port, path);
    Answer answer = new Answer(text, asked, bytes);
    asked++;
    bytes += text.length();
    return answer;
  }
}
