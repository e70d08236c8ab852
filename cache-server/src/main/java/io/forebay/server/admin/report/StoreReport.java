package io.forebay.server.admin.report;

import io.forebay.core.http.AuthorityNormalizer;
import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.TargetUri;
import io.forebay.core.key.KeyBuilder;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.KeyText;
import io.forebay.core.key.PurgeUrl;
import io.forebay.core.policy.Age;
import io.forebay.core.policy.Decider;
import io.forebay.core.policy.Decision;
import io.forebay.core.policy.Reason;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.server.json.Json;
import io.forebay.server.node.StoreTarget;
import io.forebay.server.text.Printable;
import io.forebay.storage.inspect.Entry;
import io.forebay.storage.inspect.Head;
import io.forebay.storage.inspect.HotObject;
import io.forebay.storage.inspect.InspectedObject;
import io.forebay.storage.inspect.InspectedObject.Run;
import io.forebay.storage.inspect.Listing;
import io.forebay.storage.inspect.Listing.Position;
import io.forebay.storage.inspect.StoreCensus;
import io.forebay.storage.inspect.StoreInspector;
import io.forebay.storage.inspect.Tier.Segment;
import io.forebay.storage.inspect.Verification;
import io.forebay.storage.placement.StorageClass;
import io.forebay.storage.placement.StorageClasses;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Stored objects as JSON, for the admin API and for files at rest. Combines the store's data with
 * the cache rules' view of responses. Fields are added, never renamed.
 */
public final class StoreReport {
  /** Objects in one answer. */
  public static final int MAX_LISTED = 1_000;

  private static final int MAX_VARIANTS = 200;
  private static final int MAX_HOSTS = 20;
  private static final byte[] NO_SECRET = new byte[16];

  private StoreReport() {}

  // --- list
  // ---------------------------------------------------------------------------------------

  /** Objects whose URL begins with a text, from a position on. */
  public static ObjectNode list(StoreInspector survey, String prefix, int limit, Position from)
      throws IOException {
    UrlPrefix wanted = UrlPrefix.parse(prefix);
    Listing page = survey.list(head -> wanted.matches(head.key()), limit, from);
    ObjectNode answer = Json.object();
    ArrayNode objects = answer.putArray("objects");
    for (InspectedObject one : page.objects()) {
      objects.add(
          brief(one, survey.nowMillis()).put("class", className(survey, one.storageClass())));
    }
    Position next = page.next();
    if (next == null) {
      answer.putNull("next");
    } else {
      answer.put("next", next.toString());
    }
    return notes(answer, survey);
  }

  // --- hot
  // ----------------------------------------------------------------------------------------

  /**
   * The URLs that are asked for most of what is in memory, the hottest first. A URL is listed once,
   * whatever variants it has.
   *
   * @param isListed which URLs may be named
   */
  public static ObjectNode hot(StoreInspector survey, int limit, Predicate<String> isListed)
      throws IOException {
    ObjectNode answer = Json.object();
    ArrayNode objects = answer.putArray("objects");
    for (HotObject one : survey.hottest(head -> publicUrl(head, isListed), limit)) {
      ObjectNode node = objects.addObject();
      node.put("url", one.name());
      node.put("touches", one.touches());
      node.put("segment", one.isProtected() ? "protected" : "probation");
      node.put("bytes", one.bytes());
    }
    answer.put("complete", !survey.isOver());
    return answer;
  }

  /** The URL of a response to GET that a warm-up can ask for; null for other objects. */
  private static @Nullable String publicUrl(Head head, Predicate<String> isListed) {
    StoredMeta meta = meta(head);
    if (meta == null || meta.isVaryMarker() || meta.status() >= 400) {
      return null;
    }
    String url = KeyText.url(head.key());
    return url == null || !isListed.test(url) ? null : url;
  }

  static ObjectNode notes(ObjectNode answer, StoreInspector survey) {
    ArrayNode notes = answer.putArray("notes");
    survey.notes().forEach(notes::add);
    return answer;
  }

  /** One object in a line's worth of fields. */
  static ObjectNode brief(InspectedObject one, long nowMillis) {
    Head head = one.head();
    StoredMeta meta = meta(head);
    ObjectNode node = Json.object();
    node.put("key", Printable.jsonWhole(head.key()));
    node.put("kind", one.isMarker() ? "marker" : "object");
    node.put("state", state(one, meta, nowMillis));
    if (meta != null && !one.isMarker()) {
      node.put("status", meta.status());
      node.put("ageSeconds", Age.currentAgeSeconds(meta, nowMillis));
      node.put("ttlSeconds", Age.timeToLiveSeconds(meta, nowMillis));
    }
    if (meta != null && meta.isCodedCopy()) {
      node.put("coding", KeyText.coding(head.key()));
    }
    node.put("bytes", head.totalLength());
    node.put("slices", head.slices());
    node.put("slicesMissing", one.slices().missing());
    ArrayNode tiers = node.putArray("tiers");
    Entry inMemory = one.inMemory();
    if (inMemory != null) {
      tiers.add(inMemory.in().name());
    }
    Entry onDisk = one.onDisk();
    if (onDisk != null) {
      tiers.add(onDisk.in().name());
    }
    if (inMemory != null) {
      node.put("region", inMemory.region());
      node.put("touches", inMemory.touches());
    }
    node.put("birth", head.birth());
    return node;
  }

  /** {@code fresh}, {@code stale}, {@code purged}; {@code marker}; or {@code unreadable}. */
  private static String state(InspectedObject one, @Nullable StoredMeta meta, long nowMillis) {
    if (one.isPurged()) {
      return "purged";
    }
    if (meta == null) {
      return "unreadable";
    }
    if (meta.isVaryMarker()) {
      return "marker";
    }
    return one.isSoftPurged()
            || meta.isNoCache()
            || Age.isClockBehind(meta, nowMillis)
            || meta.freshnessLifetimeMillis() <= Age.currentAgeMillis(meta, nowMillis)
        ? "stale"
        : "fresh";
  }

  static @Nullable StoredMeta meta(Head head) {
    try {
      return StoredMeta.of(head.head());
    } catch (IllegalArgumentException unreadable) {
      return null;
    }
  }

  // --- show
  // ---------------------------------------------------------------------------------------

  /** What a running store has under a URL's keys. */
  public static ObjectNode object(StoreInspector survey, String url, List<StoreTarget> targets)
      throws IOException {
    ObjectNode answer = Json.object();
    answer.put("url", Printable.json(url));
    ArrayNode list = answer.putArray("targets");
    for (StoreTarget target : targets) {
      InspectedObject base = survey.find(target.hi(), target.lo()).orElse(null);
      if (base != null && !base.head().key().equals(target.key())) {
        base = null;
      }
      List<InspectedObject> found = new ArrayList<>();
      Route route = target.route();
      if (route != null && route.keyRecipe().hasSeveralKeys()) {
        // There is a key for each of what the recipe tells apart: all that begin with the URL's.
        found.addAll(survey.variants(target.baseScope(), MAX_VARIANTS));
      } else if (base != null) {
        found.add(base);
        StoredMeta meta = meta(base.head());
        if (base.isMarker() || (meta != null && meta.isCompressible())) {
          for (InspectedObject one : survey.variants(target.baseScope(), MAX_VARIANTS)) {
            if (!one.isMarker() && (base.isMarker() || isCopy(one))) {
              found.add(one);
            }
          }
        }
      }
      list.add(target(survey, target.uri(), target.key(), target.route(), found, target));
    }
    return notes(answer, survey);
  }

  /**
   * What lies under a URL in files at rest, found by its key text. By the default rules, since the
   * routes are not known.
   *
   * @throws IllegalArgumentException when no request can be for the URL
   */
  public static ObjectNode object(StoreInspector survey, String url) throws IOException {
    PurgeUrl parsed = PurgeUrl.parse(url);
    if (parsed == null) {
      throw new IllegalArgumentException("not a URL that can be requested: " + url);
    }
    ObjectNode answer = Json.object();
    answer.put("url", Printable.json(url));
    ArrayNode list = answer.putArray("targets");
    for (TargetUri uri : parsed.targets()) {
      KeyBuilder keys = new KeyBuilder(NO_SECRET);
      if (!keys.build(uri, KeyRecipe.DEFAULT)) {
        throw new IllegalArgumentException("the key of this URL is too long");
      }
      String key = keys.toString();
      List<InspectedObject> found =
          survey.list(head -> isUnder(head.key(), key), MAX_VARIANTS, Position.START).objects();
      list.add(target(survey, uri, key, Route.toOrigin("unknown"), found, null));
    }
    return notes(answer, survey);
  }

  /** Whether it is a coded copy of a response, and no response by itself. */
  private static boolean isCopy(InspectedObject one) {
    StoredMeta meta = meta(one.head());
    return meta != null && meta.isCodedCopy();
  }

  /** The base key itself, with what a route adds to it, or a variant of it. */
  private static boolean isUnder(String key, String base) {
    return key.startsWith(base)
        && (key.length() == base.length()
            || key.charAt(base.length()) == ' '
            || key.charAt(base.length()) == '#');
  }

  private static ObjectNode target(
      StoreInspector survey,
      TargetUri uri,
      String key,
      @Nullable Route route,
      List<InspectedObject> found,
      @Nullable StoreTarget live) {
    ObjectNode node = Json.object();
    node.put("key", key);
    if (live != null) {
      node.put("route", route == null ? null : route.name());
    }
    node.put("answer", answer(uri, route, found, live, survey.nowMillis()));
    ArrayNode objects = node.putArray("objects");
    for (InspectedObject one : found) {
      objects.add(
          full(one, uri, route, survey.nowMillis())
              .put("class", className(survey, one.storageClass())));
    }
    return node;
  }

  private static String answer(
      TargetUri uri,
      @Nullable Route route,
      List<InspectedObject> found,
      @Nullable StoreTarget live,
      long nowMillis) {
    if (route == null) {
      return Reason.REFUSED_NO_ROUTE.explanation();
    }
    Decision early =
        Decider.decideBeforeLookup(SyntheticRequest.of("GET", uri, HeaderFields.of()), route);
    if (early != null) {
      return early.reason().explanation();
    }
    long alive = found.stream().filter(one -> !one.isPurged()).count();
    if (!found.isEmpty() && alive == 0) {
      return Reason.MISS_PURGED.explanation();
    }
    if (found.isEmpty()) {
      if (live != null && live.isUncacheable()) {
        return Reason.PASS_UNCACHEABLE.explanation();
      }
      return Reason.MISS_URI.explanation()
          + (live != null && live.wasDropped()
              ? " It was evicted recently to free space."
              : " It was never stored, was purged, or was evicted long ago.");
    }
    InspectedObject first = found.getFirst();
    if (route.keyRecipe().hasSeveralKeys()) {
      long objects = found.stream().filter(one -> !one.isMarker() && !isCopy(one)).count();
      return "The route's key includes more than the URL: "
          + objects
          + (objects == 1 ? " object is" : " objects are")
          + " stored.";
    }
    if (!first.isMarker()) {
      return explain(first, uri, route, nowMillis);
    }
    StoredMeta marker = meta(first.head());
    long variants = found.stream().filter(one -> !one.isMarker() && !isCopy(one)).count();
    return "Responses to this URL vary by "
        + (marker == null
            ? "fields that cannot be read"
            : String.join(", ", marker.selectingFields()))
        + ": "
        + variants
        + (variants == 1 ? " variant is" : " variants are")
        + " stored.";
  }

  /** Why a plain GET would be a hit or none, as far as the store can tell. */
  private static String explain(InspectedObject one, TargetUri uri, Route route, long nowMillis) {
    StoredMeta meta = meta(one.head());
    if (one.isPurged()) {
      return Reason.MISS_PURGED.explanation();
    }
    if (meta == null) {
      return Reason.MISS_DAMAGED.explanation();
    }
    String coding = KeyText.coding(one.head().key());
    if (meta.isCodedCopy() && coding != null && coding.startsWith("dictionary-")) {
      return "It leads from the hash that clients name to the response that is their dictionary.";
    }
    if (meta.isCodedCopy()) {
      return "It is a copy in a content coding: it is served in place of the response that it was"
          + " made of, to clients that accept the coding, as long as that is stored.";
    }
    Decision decision =
        Decider.decide(
            SyntheticRequest.of("GET", uri, HeaderFields.of()),
            route,
            meta,
            one.isSoftPurged(),
            nowMillis);
    StringBuilder text = new StringBuilder(decision.reason().explanation());
    if (decision instanceof Decision.Revalidate) {
      text.append(" It is revalidated with the origin.");
    } else if (decision instanceof Decision.Fetch) {
      text.append(" It has no validator, so it is fetched again.");
    }
    if (one.inMemory() == null) {
      text.append(" It is on a disk and is loaded into memory first.");
    }
    if (one.slices().missing() > 0) {
      text.append(" Of its ")
          .append(one.slices().count())
          .append(" slices ")
          .append(one.slices().missing())
          .append(one.slices().missing() == 1 ? " is" : " are")
          .append(" missing.");
    }
    return text.toString();
  }

  static ObjectNode full(
      InspectedObject one, TargetUri uri, @Nullable Route route, long nowMillis) {
    ObjectNode node = brief(one, nowMillis);
    Head head = one.head();
    StoredMeta meta = meta(head);
    if (route != null && meta != null && !meta.isVaryMarker()) {
      node.put("answer", explain(one, uri, route, nowMillis));
    }
    node.put("purged", one.isPurged());
    node.put("softPurged", one.isSoftPurged());
    node.put("bodyBirth", head.bodyBirth());
    node.put("expiresAtMillis", head.expiresAtMillis());
    Entry inMemory = one.inMemory();
    if (inMemory != null) {
      place(node.putObject("inMemory"), inMemory);
    }
    Entry onDisk = one.onDisk();
    if (onDisk != null) {
      place(node.putObject("onDisk").put("disk", onDisk.in().name()), onDisk);
    }
    if (meta != null) {
      node.put("responseTimeMillis", meta.responseTimeMillis());
      ArrayNode varies = node.putArray("variesBy");
      meta.selectingFields().forEach(varies::add);
      ArrayNode fields = node.putArray("fields");
      if (!meta.isVaryMarker()) {
        // Behind a marker's stands its list of variants.
        lines(head, meta.length()).forEach(fields::add);
      }
    }
    if (head.slices() > 0) {
      ObjectNode slices = node.putObject("sliceMap");
      slices.put("sliceBytes", head.sliceBytes());
      slices.put("inMemory", one.slices().inMemory());
      slices.put("onDisk", one.slices().onDisk());
      slices.put("missing", one.slices().missing());
      ArrayNode runs = slices.putArray("runs");
      for (Run run : one.slices().runs()) {
        runs.addObject()
            .put("from", run.from())
            .put("to", run.to())
            .put("inMemory", run.isInMemory())
            .put("disk", run.disk());
      }
      slices.put("cut", one.slices().isCut());
    }
    return node;
  }

  private static void place(ObjectNode node, Entry entry) {
    node.put("region", entry.region())
        .put("generation", Integer.toUnsignedLong(entry.generation()))
        .put("offset", entry.offset())
        .put("recordBytes", entry.length())
        .put("touches", entry.touches());
  }

  /** The stored field lines, safe to be shown. */
  private static List<String> lines(Head head, int from) {
    String block =
        new String(head.head(), from, head.head().length - from, StandardCharsets.ISO_8859_1);
    return block.lines().limit(256).map(Printable::jsonWhole).toList();
  }

  // --- stat
  // ---------------------------------------------------------------------------------------

  /** Figures of the segments and disks, and of hosts. */
  public static ObjectNode stat(StoreInspector survey) throws IOException {
    StoreCensus census = census(survey);
    ObjectNode answer = Json.object();
    ArrayNode parts = answer.putArray("parts");
    for (StoreCensus.Part part : census.parts()) {
      ObjectNode node = parts.addObject();
      node.put("tier", part.tier());
      node.put("segment", word(part.segment()));
      node.put("regions", part.regions());
      node.put("openRegions", part.openRegions());
      node.put("capacityBytes", part.capacityBytes());
      node.put("withdrawnRegions", part.withdrawnRegions());
      node.put("withdrawnBytes", part.withdrawnBytes());
      node.put("usedBytes", part.usedBytes());
      node.put("liveBytes", part.liveBytes());
      node.put("deadBytes", part.deadBytes());
      node.put("touchedBytes", part.touchedBytes());
      node.put("objects", part.objects());
      node.put("markers", part.markers());
      node.put("slices", part.slices());
      node.put("deadRecords", part.deadRecords());
      node.put("sizesOf", isMemory(survey, part) ? "objects" : "records");
      numbers(node.putArray("sizes"), part.sizes());
      numbers(node.putArray("ages"), part.ages());
      numbers(node.putArray("expires"), part.expiries());
    }
    classes(answer.putArray("classes"), survey, census);
    numbers(answer.putArray("sizeBounds"), StoreCensus.sizeBounds());
    numbers(answer.putArray("secondBounds"), StoreCensus.secondBounds());
    ArrayNode hosts = answer.putArray("hosts");
    for (StoreCensus.Group group : census.topGroups(MAX_HOSTS)) {
      hosts
          .addObject()
          .put("host", Printable.json(group.name()))
          .put("objects", group.objects())
          .put("memoryBytes", group.memoryBytes());
    }
    answer.put("otherHostsObjects", census.ungrouped());
    answer.put("complete", census.isComplete());
    return notes(answer, survey);
  }

  private static boolean isMemory(StoreInspector survey, StoreCensus.Part part) {
    return survey.tiers().stream()
        .anyMatch(tier -> tier.isMemory() && tier.name().equals(part.tier()));
  }

  /** Storage classes that are configured or of which something is stored. */
  private static void classes(ArrayNode list, StoreInspector survey, StoreCensus census) {
    Map<Integer, StoreCensus.OfClass> counted = new HashMap<>();
    census.classes().forEach(one -> counted.put(one.number(), one));
    String memory = survey.tiers().getFirst().name();
    long tierBytes =
        census.parts().stream()
            .filter(part -> part.tier().equals(memory))
            .mapToLong(StoreCensus.Part::capacityBytes)
            .sum();
    long diskBytes =
        census.parts().stream()
            .filter(part -> !isMemory(survey, part))
            .mapToLong(StoreCensus.Part::capacityBytes)
            .sum();
    for (int n = 0; n < StorageClasses.COUNT; n++) {
      StoreCensus.OfClass known = counted.get(n);
      if (known == null && !survey.classes().isConfigured(n)) {
        continue;
      }
      ObjectNode node = list.addObject();
      node.put("class", className(survey, n));
      node.put("memoryObjects", known == null ? 0 : known.memoryObjects());
      node.put("memoryBytes", known == null ? 0 : known.memoryBytes());
      node.put("diskObjects", known == null ? 0 : known.diskObjects());
      node.put("diskBytes", known == null ? 0 : known.diskBytes());
      if (survey.classes().isConfigured(n)) {
        StorageClass rules = survey.classes().of(n);
        node.put("tier", rules.tier().name().toLowerCase(Locale.ROOT));
        node.put("quotaBytes", StorageClass.share(tierBytes, rules.quotaPercent()));
        node.put("floorBytes", StorageClass.share(tierBytes, rules.floorPercent()));
        node.put("pinnedBytes", StorageClass.share(tierBytes, rules.pinnedPercent()));
        node.put("diskQuotaBytes", StorageClass.share(diskBytes, rules.diskQuotaPercent()));
        node.put("diskFloorBytes", StorageClass.share(diskBytes, rules.diskFloorPercent()));
      }
    }
  }

  private static String className(StoreInspector survey, int number) {
    String name = survey.classes().name(number);
    return name == null ? "unknown-" + number : name;
  }

  private static StoreCensus census(StoreInspector survey) throws IOException {
    return survey.census(
        head -> host(head.key()),
        head -> {
          StoredMeta meta = meta(head);
          return meta == null ? -1 : meta.responseTimeMillis();
        });
  }

  /** The host of a key text, with its port unless that is the scheme's. */
  private static String host(String key) {
    int start = key.indexOf("://");
    int end = key.indexOf('/', start + 3);
    return start < 0 || end < 0 ? "?" : UrlPrefix.url(key.substring(start + 3, end), key);
  }

  private static void numbers(ArrayNode array, long[] numbers) {
    for (long number : numbers) {
      array.add(number);
    }
  }

  private static @Nullable String word(Segment segment) {
    return segment == Segment.NONE ? null : segment.name().toLowerCase(Locale.ROOT);
  }

  // --- map
  // ----------------------------------------------------------------------------------------

  /** Every region of every tier. */
  public static ObjectNode map(StoreInspector survey) throws IOException {
    StoreCensus census = census(survey);
    ObjectNode answer = Json.object();
    ArrayNode tiers = answer.putArray("tiers");
    String tier = null;
    ArrayNode regions = null;
    for (StoreCensus.Cell cell : census.cells()) {
      if (regions == null || !cell.tier().equals(tier)) {
        tier = cell.tier();
        ObjectNode node = tiers.addObject();
        node.put("tier", tier);
        node.put("regionBytes", cell.regionBytes());
        regions = node.putArray("regions");
      }
      ObjectNode node = regions.addObject();
      node.put("region", cell.region());
      node.put("state", cell.state().name().toLowerCase(Locale.ROOT));
      node.put("segment", word(cell.segment()));
      node.put("age", cell.age());
      node.put("usedBytes", cell.usedBytes());
      node.put("liveBytes", cell.liveBytes());
      node.put("touchedBytes", cell.touchedBytes());
      node.put("records", cell.records());
    }
    answer.put("complete", census.isComplete());
    return notes(answer, survey);
  }

  // --- verify
  // -------------------------------------------------------------------------------------

  /** How far a check is and what it found. */
  public static ObjectNode verification(Verification run) {
    ObjectNode answer = Json.object();
    // First, so that what is read behind it belongs to the end where this says so.
    answer.put("job", run.id());
    answer.put("state", run.state().name().toLowerCase(Locale.ROOT));
    answer.put("totalBytes", run.totalBytes());
    answer.put("passedBytes", run.passedBytes());
    answer.put("checkedBytes", run.checkedBytes());
    answer.put("records", run.records());
    answer.put("bad", run.flawCount());
    ArrayNode flaws = answer.putArray("flaws");
    for (Verification.Flaw flaw : run.flaws()) {
      ObjectNode node = flaws.addObject();
      node.put("tier", flaw.tier());
      node.put("region", flaw.region());
      node.put("offset", flaw.offset());
      node.put("kind", flaw.kind());
      if (flaw.slice() >= 0) {
        node.put("slice", flaw.slice());
      }
      String key = flaw.key();
      node.put("key", key == null ? null : Printable.jsonWhole(key));
      node.put("why", flaw.why());
    }
    ArrayNode notes = answer.putArray("notes");
    run.notes().forEach(notes::add);
    answer.put("failure", run.failure());
    return answer;
  }

  /** A prefix as people write it, against key texts, which always have a port. */
  record UrlPrefix(@Nullable String scheme, String authority, @Nullable String rest) {

    static UrlPrefix parse(String text) {
      int mark = text.indexOf("://");
      String scheme = mark < 0 ? null : text.substring(0, mark).toLowerCase(Locale.ROOT);
      String behind = mark < 0 ? text : text.substring(mark + 3);
      int slash = behind.indexOf('/');
      return slash < 0
          ? new UrlPrefix(scheme, behind.toLowerCase(Locale.ROOT), null)
          : new UrlPrefix(
              scheme, behind.substring(0, slash).toLowerCase(Locale.ROOT), behind.substring(slash));
    }

    boolean matches(String key) {
      int mark = key.indexOf("://");
      int slash = mark < 0 ? -1 : key.indexOf('/', mark + 3);
      if (slash < 0) {
        // Not a key of ours; shown where everything is.
        return authority.isEmpty() && rest == null;
      }
      if (scheme != null && !key.startsWith(scheme + "://")) {
        return false;
      }
      String keyAuthority = key.substring(mark + 3, slash);
      if (rest == null) {
        return keyAuthority.startsWith(authority);
      }
      boolean isHost =
          keyAuthority.equals(authority)
              || keyAuthority
                  .substring(0, AuthorityNormalizer.hostLength(keyAuthority))
                  .equals(authority);
      return isHost && key.startsWith(rest, slash);
    }

    /** An authority without the port that its key's scheme has anyway. */
    static String url(String authority, String key) {
      String port = key.startsWith("https:") ? ":443" : ":80";
      return authority.endsWith(port)
          ? authority.substring(0, authority.length() - port.length())
          : authority;
    }
  }
}
