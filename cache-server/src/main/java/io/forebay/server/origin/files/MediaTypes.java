package io.forebay.server.origin.files;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The media types of files by the extensions of their names. */
final class MediaTypes {
  private static final String UNKNOWN = "application/octet-stream";

  private static final Map<String, String> COMMON =
      Map.ofEntries(
          Map.entry("7z", "application/x-7z-compressed"),
          Map.entry("aac", "audio/aac"),
          Map.entry("apng", "image/apng"),
          Map.entry("atom", "application/atom+xml"),
          Map.entry("avif", "image/avif"),
          Map.entry("bmp", "image/bmp"),
          Map.entry("bz2", "application/x-bzip2"),
          Map.entry("css", "text/css; charset=utf-8"),
          Map.entry("csv", "text/csv; charset=utf-8"),
          Map.entry("deb", "application/vnd.debian.binary-package"),
          Map.entry("eot", "application/vnd.ms-fontobject"),
          Map.entry("epub", "application/epub+zip"),
          Map.entry("flac", "audio/flac"),
          Map.entry("gif", "image/gif"),
          Map.entry("gz", "application/gzip"),
          Map.entry("htm", "text/html; charset=utf-8"),
          Map.entry("html", "text/html; charset=utf-8"),
          Map.entry("ico", "image/vnd.microsoft.icon"),
          Map.entry("ics", "text/calendar; charset=utf-8"),
          Map.entry("jar", "application/java-archive"),
          Map.entry("jpeg", "image/jpeg"),
          Map.entry("jpg", "image/jpeg"),
          Map.entry("js", "text/javascript; charset=utf-8"),
          Map.entry("json", "application/json"),
          Map.entry("jsonld", "application/ld+json"),
          Map.entry("jxl", "image/jxl"),
          Map.entry("m3u8", "application/vnd.apple.mpegurl"),
          Map.entry("m4a", "audio/mp4"),
          Map.entry("m4s", "video/iso.segment"),
          Map.entry("m4v", "video/mp4"),
          Map.entry("map", "application/json"),
          Map.entry("md", "text/markdown; charset=utf-8"),
          Map.entry("mjs", "text/javascript; charset=utf-8"),
          Map.entry("mkv", "video/matroska"),
          Map.entry("mov", "video/quicktime"),
          Map.entry("mp3", "audio/mpeg"),
          Map.entry("mp4", "video/mp4"),
          Map.entry("mpd", "application/dash+xml"),
          Map.entry("oga", "audio/ogg"),
          Map.entry("ogg", "audio/ogg"),
          Map.entry("ogv", "video/ogg"),
          Map.entry("opus", "audio/ogg"),
          Map.entry("otf", "font/otf"),
          Map.entry("pdf", "application/pdf"),
          Map.entry("png", "image/png"),
          Map.entry("rss", "application/rss+xml"),
          Map.entry("rtf", "application/rtf"),
          Map.entry("svg", "image/svg+xml"),
          Map.entry("tar", "application/x-tar"),
          Map.entry("tif", "image/tiff"),
          Map.entry("tiff", "image/tiff"),
          Map.entry("ts", "video/mp2t"),
          Map.entry("ttf", "font/ttf"),
          Map.entry("txt", "text/plain; charset=utf-8"),
          Map.entry("vtt", "text/vtt; charset=utf-8"),
          Map.entry("wasm", "application/wasm"),
          Map.entry("wav", "audio/wav"),
          Map.entry("weba", "audio/webm"),
          Map.entry("webm", "video/webm"),
          Map.entry("webmanifest", "application/manifest+json"),
          Map.entry("webp", "image/webp"),
          Map.entry("woff", "font/woff"),
          Map.entry("woff2", "font/woff2"),
          Map.entry("xhtml", "application/xhtml+xml"),
          Map.entry("xml", "text/xml; charset=utf-8"),
          Map.entry("xz", "application/x-xz"),
          Map.entry("zip", "application/zip"),
          Map.entry("zst", "application/zstd"));

  private final Map<String, String> byExtension;

  /**
   * The common types and more.
   *
   * @param more each {@code EXTENSION=TYPE}
   */
  MediaTypes(List<String> more) {
    Map<String, String> all = new HashMap<>(COMMON);
    for (String one : more) {
      int equals = one.indexOf('=');
      all.put(one.substring(0, equals).toLowerCase(Locale.ROOT), one.substring(equals + 1));
    }
    byExtension = Map.copyOf(all);
  }

  /** The type of a file by its path. */
  String of(byte[] path) {
    String text = new String(path, StandardCharsets.UTF_8);
    String name = text.substring(text.lastIndexOf('/') + 1);
    int dot = name.lastIndexOf('.');
    return dot < 0
        ? UNKNOWN
        : byExtension.getOrDefault(name.substring(dot + 1).toLowerCase(Locale.ROOT), UNKNOWN);
  }
}
