package io.forebay.cli.warm;

import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.ExitCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

/** The URLs to warm, in the order given, each once. */
final class UrlList {
  private final Set<String> urls = new LinkedHashSet<>();

  Collection<String> urls() {
    return urls;
  }

  void add(String url, String source) {
    urls.add(checked(url, source));
  }

  /** One URL a line; blank lines and those that begin with # say nothing. */
  void addLines(BufferedReader lines, String source) throws IOException {
    int number = 0;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      number++;
      String url = line.strip();
      if (!url.isEmpty() && !url.startsWith("#")) {
        urls.add(checked(url, source + ":" + number));
      }
    }
  }

  static String checked(String url, String source) {
    try {
      URI uri = URI.create(url);
      if (("http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme()))
          && uri.getRawAuthority() != null) {
        return url;
      }
    } catch (IllegalArgumentException unreadable) {
      // answered below, as for any other text that is no URL
    }
    throw new CommandException(
        ExitCode.USAGE,
        source + ": '" + url + "' is not a URL that begins with http:// or https://");
  }
}
