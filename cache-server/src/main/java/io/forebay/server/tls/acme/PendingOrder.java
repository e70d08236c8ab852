package io.forebay.server.tls.acme;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.security.KeyPair;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An order under way, as it survives a restart: the same order is continued with the same key.
 *
 * @param location URL of the order
 * @param key of the certificate to be
 * @param attempt number of the attempt, which selects the challenge
 */
record PendingOrder(URL location, KeyPair key, long createdMillis, int attempt) {
  private static final String FIRST_LINE = "forebay acme order 1";
  private static final Pattern TEXT =
      Pattern.compile(
          FIRST_LINE + "\n(https?://[!-~]{1,2000})\n(\\d{1,15}) (\\d{1,9})\n(.*)", Pattern.DOTALL);

  String text() {
    return FIRST_LINE
        + "\n"
        + location
        + "\n"
        + createdMillis
        + " "
        + attempt
        + "\n"
        + KeyPairs.pem(key);
  }

  static PendingOrder parse(String text) throws IOException {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      throw new IOException("not the record of an order");
    }
    return new PendingOrder(
        url(matcher.group(1)),
        KeyPairs.parse(matcher.group(4)),
        Long.parseLong(matcher.group(2)),
        Integer.parseInt(matcher.group(3)));
  }

  static URL url(String text) throws IOException {
    try {
      return URI.create(text).toURL();
    } catch (IllegalArgumentException e) {
      throw new MalformedURLException(e.getMessage());
    }
  }
}
