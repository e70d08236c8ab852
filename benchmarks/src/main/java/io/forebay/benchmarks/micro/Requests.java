package io.forebay.benchmarks.micro;

import io.forebay.core.http.SyntheticRequest;

/** Requests as browsers and players send them. */
final class Requests {

  private Requests() {}

  /** A plain GET of the numbered segment, with the fields that a browser sends. */
  static SyntheticRequest segment(int number) {
    return SyntheticRequest.of(
        "GET",
        "http://video.example.com/live/channel-"
            + number % 97
            + "/1080p/segment-"
            + number
            + ".m4s",
        "host",
        "video.example.com",
        "user-agent",
        "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        "accept",
        "*/*",
        "accept-language",
        "en-US,en;q=0.5",
        "accept-encoding",
        "gzip, deflate, br, zstd",
        "referer",
        "http://video.example.com/watch?v=" + number,
        "connection",
        "keep-alive");
  }

  static SyntheticRequest[] segments(int count) {
    SyntheticRequest[] requests = new SyntheticRequest[count];
    for (int i = 0; i < count; i++) {
      requests[i] = segment(i);
    }
    return requests;
  }
}
