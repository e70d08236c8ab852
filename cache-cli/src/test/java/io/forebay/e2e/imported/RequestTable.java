package io.forebay.e2e.imported;

import io.forebay.e2e.imported.Answer.Request;
import io.forebay.e2e.imported.Loopback.Entrance;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Requests that are derived from the text of a file, whatever its language: the names of hosts in
 * it and one that is not, the paths and extensions in it and some that are not.
 */
record RequestTable(List<Request> requests, Set<String> fields) {
  private static final int HOSTS = 6;
  private static final int PATHS = 16;

  private static final Pattern PATH =
      Pattern.compile("(?<![\\w.:/$}*-])\\^?((?:\\\\?/[\\w%~.\\\\-]*)+)");
  private static final Pattern EXTENSIONS =
      Pattern.compile("\\\\\\.\\(?(?:\\?:)?([a-z0-9]{2,5}(?:\\|[a-z0-9]{2,5})*)");
  private static final Pattern FIELD =
      Pattern.compile("(?<![\\w-])[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)+");

  /** Of each connection, of the time, or of the server that answers. */
  private static final Set<String> NOT_COMPARED =
      Set.of(
          "accept-encoding",
          "accept-ranges",
          "cache-status",
          "content-encoding",
          "content-length",
          "content-type",
          "etag",
          "if-modified-since",
          "if-none-match",
          "keep-alive",
          "last-modified",
          "proxy-connection",
          "transfer-encoding",
          "user-agent",
          "x-cache",
          "x-varnish");

  /** Derives the table. */
  static RequestTable of(String file, List<Entrance> entrances) {
    String text = file.replaceAll("(?m)(^|\\s)#.*$", "");
    List<String> hosts = new ArrayList<>(Loopback.hosts(text));
    List<String> ofFile = hosts.subList(0, Math.min(HOSTS, hosts.size()));
    List<String> paths = paths(text);
    List<Request> requests = new ArrayList<>();
    for (Entrance entrance : entrances) {
      boolean isFirst = true;
      for (String host : ofFile.isEmpty() ? List.of("localhost") : ofFile) {
        add(requests, entrance, host, paths, isFirst);
        isFirst = false;
      }
      requests.add(new Request(entrance, "GET", "unknown.test", "/", List.of()));
      requests.add(new Request(entrance, "GET", "unknown.test", paths.getLast(), List.of()));
    }
    return new RequestTable(List.copyOf(requests), fields(text));
  }

  private static void add(
      List<Request> requests, Entrance entrance, String host, List<String> paths, boolean isFirst) {
    if (!isFirst) {
      for (String path : paths.subList(0, Math.min(4, paths.size()))) {
        requests.add(new Request(entrance, "GET", host, path, List.of()));
      }
      return;
    }
    for (String path : paths) {
      requests.add(new Request(entrance, "GET", host, path, List.of()));
    }
    for (String target : List.of("/?moved", "/?missing", "/?failing", "/a%20b?c=d&e")) {
      requests.add(new Request(entrance, "GET", host, target, List.of()));
    }
    requests.add(new Request(entrance, "HEAD", host, "/", List.of()));
    requests.add(new Request(entrance, "POST", host, "/", List.of()));
    requests.add(new Request(entrance, "GET", host, "/", List.of("Accept-Encoding: gzip")));
    requests.add(
        new Request(entrance, "GET", host, paths.getLast(), List.of("Accept-Encoding: gzip")));
    requests.add(
        new Request(entrance, "GET", host, "/", List.of("Authorization: Basic dTpzZWNyZXQ=")));
    requests.add(new Request(entrance, "GET", host, "/", List.of("Cookie: a=b; session=7")));
    requests.add(new Request(entrance, "GET", host, "/", List.of("User-Agent: curl/8.0 bot")));
  }

  private static List<String> paths(String text) {
    Set<String> paths = new LinkedHashSet<>(List.of("/", "/page.html?a=b"));
    Matcher matcher = PATH.matcher(text);
    while (matcher.find() && paths.size() < PATHS - 4) {
      String path = matcher.group(1).replace("\\", "").replaceAll("//+", "/");
      if (path.length() > 1 && path.length() < 60) {
        paths.add(path);
        if (!path.endsWith("/") && path.indexOf('.') < 0) {
          paths.add(path + "/");
        }
        paths.add(path.endsWith("/") ? path + "page?x=1" : path + "x");
      }
    }
    Matcher extensions = EXTENSIONS.matcher(text);
    while (extensions.find() && paths.size() < PATHS) {
      paths.add("/deep/a." + extensions.group(1).split("\\|", -1)[0]);
    }
    return List.copyOf(paths);
  }

  /** What may be the name of a field. */
  private static Set<String> fields(String text) {
    Set<String> fields = new TreeSet<>();
    if (Pattern.compile("\\bexpires\\b", Pattern.CASE_INSENSITIVE).matcher(text).find()) {
      fields.addAll(List.of("cache-control", "expires"));
    }
    Matcher matcher = FIELD.matcher(text);
    while (matcher.find()) {
      String name = matcher.group().toLowerCase(Locale.ROOT).replace('_', '-');
      name = name.replaceFirst("^(sent-|upstream-)?http-", "");
      if (!NOT_COMPARED.contains(name) && name.length() < 40) {
        fields.add(name);
      }
    }
    return fields;
  }
}
