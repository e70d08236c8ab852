package io.forebay.server.media;

import io.forebay.server.media.DashManifest.RefusedException;
import io.forebay.server.media.DashManifest.Representation;
import io.forebay.server.media.MpdElement.Run;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The URLs of the segments of one manifest. What a level says of segments holds for the levels
 * below it, which may override it attribute by attribute.
 */
final class SegmentUrls {
  /** Characters of all URLs together, at most. */
  private static final long MAX_CHARACTERS = 32L << 20;

  private static final int MAX_URL = 8192;
  private static final List<String> KINDS =
      List.of("SegmentTemplate", "SegmentList", "SegmentBase");

  private final MpdElement root;
  private final URI manifest;
  private final Instant now;
  private final boolean isDynamic;
  private final @Nullable Duration whole;
  private final @Nullable Instant availabilityStart;
  private final @Nullable Duration window;
  private final List<Representation> found = new ArrayList<>();
  private int urlsLeft;
  private long charactersLeft = MAX_CHARACTERS;

  /**
   * The period that is read.
   *
   * @param duration null where nothing says how long it is
   */
  private record Period(Duration start, @Nullable Duration duration) {}

  /**
   * What holds for one representation.
   *
   * @param kind one of {@link #KINDS}, or empty
   * @param attributes of all levels, the lowest first
   */
  private record Information(
      String kind,
      Map<String, String> attributes,
      @Nullable MpdElement timeline,
      @Nullable MpdElement initialization,
      List<MpdElement> list) {

    @Nullable String text(String name) {
      return attributes.get(name);
    }

    long number(String name, long absent) throws RefusedException {
      return MpdValues.number(name, attributes.get(name), absent);
    }
  }

  SegmentUrls(MpdElement root, URI manifest, Instant now, int maxUrls) throws RefusedException {
    this.root = root;
    this.manifest = manifest;
    this.now = now;
    urlsLeft = maxUrls;
    isDynamic = "dynamic".equals(root.attributes.get("type"));
    whole = duration(root, "mediaPresentationDuration");
    availabilityStart =
        MpdValues.instant("availabilityStartTime", root.attributes.get("availabilityStartTime"));
    window = duration(root, "timeShiftBufferDepth");
  }

  private static @Nullable Duration duration(MpdElement element, String name)
      throws RefusedException {
    return MpdValues.duration(name, element.attributes.get(name));
  }

  DashManifest manifest() throws RefusedException {
    Duration update = duration(root, "minimumUpdatePeriod");
    URI rootBase = base(root, manifest);
    List<MpdElement> periods = named(root, "Period");
    Duration start = Duration.ZERO;
    for (int i = 0; i < periods.size(); i++) {
      MpdElement element = periods.get(i);
      Duration own = duration(element, "start");
      start = own == null ? start : own;
      Duration next = i + 1 < periods.size() ? duration(periods.get(i + 1), "start") : whole;
      Duration length = duration(element, "duration");
      if (length == null && next != null) {
        length = next.minus(start);
      }
      if (length != null && length.isNegative()) {
        length = Duration.ZERO;
      }
      period(element, new Period(start, length), rootBase);
      start = length == null ? start : start.plus(length);
    }
    return new DashManifest(
        isDynamic, update, List.copyOf(found), urlsLeft > 0 && charactersLeft > 0);
  }

  private void period(MpdElement element, Period period, URI rootBase) throws RefusedException {
    URI periodBase = base(element, rootBase);
    for (MpdElement set : named(element, "AdaptationSet")) {
      URI setBase = base(set, periodBase);
      for (MpdElement representation : named(set, "Representation")) {
        URI own = base(representation, setBase);
        String id = representation.attributes.getOrDefault("id", "");
        long bandwidth =
            MpdValues.number("bandwidth", representation.attributes.get("bandwidth"), 0);
        Information information = information(List.of(representation, set, element));
        Target target = new Target(own, id, bandwidth, new LinkedHashSet<>());
        switch (information.kind()) {
          case "SegmentTemplate" -> template(target, information, period);
          case "SegmentList" -> list(target, information);
          default -> single(target, information);
        }
        found.add(new Representation(id, bandwidth, List.copyOf(target.urls())));
      }
    }
  }

  private static List<MpdElement> named(MpdElement parent, String name) {
    return parent.children.stream().filter(child -> child.name.equals(name)).toList();
  }

  /** The lowest level decides the kind; its attributes come before those of higher levels. */
  private static Information information(List<MpdElement> levels) {
    String kind = "";
    Map<String, String> attributes = new HashMap<>();
    MpdElement timeline = null;
    MpdElement initialization = null;
    List<MpdElement> list = List.of();
    for (MpdElement level : levels) {
      for (MpdElement said : level.children) {
        if (!KINDS.contains(said.name) || !(kind.isEmpty() || kind.equals(said.name))) {
          continue;
        }
        kind = said.name;
        said.attributes.forEach(attributes::putIfAbsent);
        timeline = timeline == null ? said.child("SegmentTimeline") : timeline;
        initialization = initialization == null ? said.child("Initialization") : initialization;
        list = list.isEmpty() ? named(said, "SegmentURL") : list;
      }
    }
    return new Information(kind, attributes, timeline, initialization, list);
  }

  /** One representation and what is found of it; each URL once. */
  private record Target(URI base, String id, long bandwidth, Set<String> urls) {}

  private void single(Target target, Information information) throws RefusedException {
    initialization(target, information);
    // Without a BaseURL the media would be the manifest itself.
    if (!target.base().equals(manifest)) {
      add(target, "");
    }
  }

  private void initialization(Target target, Information information) throws RefusedException {
    String template = information.text("initialization");
    MpdElement element = information.initialization();
    if (template != null) {
      add(target, UrlTemplate.expand(template, target.id(), target.bandwidth(), 0, 0));
    } else if (element != null && element.attributes.containsKey("sourceURL")) {
      add(target, element.attributes.getOrDefault("sourceURL", ""));
    }
  }

  private void list(Target target, Information information) throws RefusedException {
    initialization(target, information);
    for (MpdElement segment : information.list()) {
      String media = segment.attributes.getOrDefault("media", "");
      if (!media.isEmpty() || !target.base().equals(manifest)) {
        add(target, media);
      }
    }
  }

  private void template(Target target, Information information, Period period)
      throws RefusedException {
    initialization(target, information);
    String media = information.text("media");
    if (media == null) {
      return;
    }
    long timescale = information.number("timescale", 1);
    if (timescale == 0) {
      throw new RefusedException("the manifest's timescale is 0");
    }
    Expansion expansion =
        new Expansion(
            media,
            timescale,
            information.number("startNumber", 1),
            information.number("endNumber", Long.MAX_VALUE),
            information.number("presentationTimeOffset", 0));
    MpdElement timeline = information.timeline();
    if (timeline != null) {
      timeline(target, expansion, timeline.runs, period);
    } else {
      equalSegments(target, expansion, information.number("duration", 0), period);
    }
  }

  private record Expansion(
      String media, long timescale, long startNumber, long endNumber, long timeOffset) {}

  private void timeline(Target target, Expansion expansion, List<Run> runs, Period period)
      throws RefusedException {
    long time = 0;
    long number = expansion.startNumber();
    for (int i = 0; i < runs.size(); i++) {
      Run run = runs.get(i);
      if (run.duration() == 0) {
        throw new RefusedException("a segment of the manifest has no duration");
      }
      time = run.time() == Run.ABSENT ? time : run.time();
      number = run.number() == Run.ABSENT ? number : run.number();
      long count;
      if (run.repeat() >= 0) {
        count = run.repeat() + 1;
      } else {
        long next = i + 1 < runs.size() ? runs.get(i + 1).time() : Run.ABSENT;
        long end = next == Run.ABSENT ? endOfPeriod(expansion, period) : next;
        count = end <= time ? 0 : Math.ceilDiv(end - time, run.duration());
      }
      for (long k = 0; k < count; k++) {
        if (number > expansion.endNumber() || !segment(target, expansion, number, time)) {
          return;
        }
        number++;
        time = Math.addExact(time, run.duration());
      }
    }
  }

  /** In units of the timeline: where the period ends or, in a live one, how far it has come. */
  private long endOfPeriod(Expansion expansion, Period period) {
    Duration length = period.duration();
    Instant from = availabilityStart;
    if (isDynamic && from != null) {
      Duration elapsed = Duration.between(from.plus(period.start()), now);
      length = length == null || elapsed.compareTo(length) < 0 ? elapsed : length;
    }
    if (length == null || length.isNegative()) {
      return 0;
    }
    return Math.addExact(expansion.timeOffset(), units(length, expansion.timescale()));
  }

  private void equalSegments(Target target, Expansion expansion, long duration, Period period)
      throws RefusedException {
    long last = expansion.endNumber();
    long first = expansion.startNumber();
    if (duration > 0) {
      long end = endOfPeriod(expansion, period) - expansion.timeOffset();
      // Of a live period only whole segments exist so far.
      long count =
          isDynamic ? Math.max(0, end) / duration : Math.ceilDiv(Math.max(0, end), duration);
      if (count > 0 || isDynamic || last == Long.MAX_VALUE) {
        last = Math.min(last, first + count - 1);
      }
      if (isDynamic) {
        long depth = window == null ? Long.MAX_VALUE : units(window, expansion.timescale());
        long kept =
            Math.min(depth == Long.MAX_VALUE ? depth : Math.ceilDiv(depth, duration), urlsLeft);
        first = Math.max(first, last - kept + 1);
      }
    } else if (last == Long.MAX_VALUE) {
      // One segment, which lasts as long as the period.
      last = first;
    }
    for (long number = first; number <= last; number++) {
      long time =
          Math.addExact(
              expansion.timeOffset(),
              Math.multiplyExact(number - expansion.startNumber(), duration));
      if (!segment(target, expansion, number, time)) {
        return;
      }
    }
  }

  private static long units(Duration length, long timescale) {
    return Math.addExact(
        Math.multiplyExact(length.getSeconds(), timescale),
        Math.multiplyExact(length.getNano() / 1000L, timescale) / 1_000_000);
  }

  private boolean segment(Target target, Expansion expansion, long number, long time)
      throws RefusedException {
    return add(
        target,
        UrlTemplate.expand(expansion.media(), target.id(), target.bandwidth(), number, time));
  }

  /** Whether there is room for more. */
  private boolean add(Target target, String reference) throws RefusedException {
    if (urlsLeft <= 0 || charactersLeft <= 0) {
      return false;
    }
    String url = resolve(target.base(), reference).toString();
    urlsLeft--;
    charactersLeft -= url.length();
    target.urls().add(url);
    return true;
  }

  private static URI base(MpdElement level, URI above) throws RefusedException {
    MpdElement base = level.child("BaseURL");
    return base == null ? above : resolve(above, base.text);
  }

  private static URI resolve(URI base, String reference) throws RefusedException {
    if (reference.isEmpty()) {
      return base;
    }
    try {
      URI resolved = base.resolve(new URI(visible(reference)));
      if (resolved.getRawAuthority() != null && resolved.getRawPath().isEmpty()) {
        // References below it begin at its root.
        resolved = resolved.resolve("/");
      }
      if (resolved.toString().length() <= MAX_URL) {
        return resolved;
      }
    } catch (URISyntaxException | IllegalArgumentException e) {
      // Answered below, as what is too long.
    }
    throw new RefusedException("a URL of the manifest is malformed or longer than " + MAX_URL);
  }

  /** The text with every byte percent-encoded that is not visible ASCII. */
  private static String visible(String text) {
    StringBuilder visible = new StringBuilder(text.length());
    for (byte one : text.getBytes(StandardCharsets.UTF_8)) {
      if (one > 0x20 && one < 0x7F) {
        visible.append((char) one);
      } else {
        visible.append('%').append(HexFormat.of().withUpperCase().toHexDigits(one));
      }
    }
    return visible.toString();
  }
}
