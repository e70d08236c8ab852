package io.forebay.server.fill;

import io.forebay.core.http.RequestView;
import io.forebay.core.key.FieldRecipe;
import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.ResponseTags;
import io.forebay.core.policy.ResponsePolicy;
import io.forebay.core.policy.StoredMeta;
import io.forebay.core.route.Route;
import io.forebay.server.fill.history.FillKey;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.object.StoredHead;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The record at a base key whose responses vary: the names of the selecting fields, in the order in
 * which they enter the variants' keys, and the {@link VariantList}.
 *
 * <p>It is replaced as a whole, and only if it is still the one that was read; after a lost race it
 * is read again. It has no tags, since it is no response: a purge by tag selects variants.
 *
 * @param objectId of the record that was read
 */
public record VaryMarker(List<String> names, VariantList variants, long objectId) {

  private static final int ATTEMPTS = 4;
  private static final ResponseTags NO_TAGS = new ResponseTags(List.of(), false);

  /** The base key of a request and what is needed to write there. */
  @SuppressWarnings("ArrayRecordComponent")
  public record Place(FillKey key, byte[] text, long[] scopes, int limit, int storageClass) {

    /** Expects the request's base key, or a variant of it, in the loop's key builder. */
    public static Place of(FillContext loop, FillKey base, RequestView request, Route route) {
      KeyRecipe recipe = route.keyRecipe();
      return new Place(
          base,
          Arrays.copyOf(loop.keys().text(), loop.keys().baseLength()),
          loop.scopes().ofResponse(request, recipe, NO_TAGS),
          recipe.variants(),
          loop.storageClass(route));
    }
  }

  /** The marker there, or null. Expects the base key in the loop's key builder. */
  static @Nullable VaryMarker read(FillContext loop) {
    var keys = loop.keys();
    return loop.lane().find(keys.hi(), keys.lo(), keys.text(), keys.textLength())
            == StoreLane.Found.HIT
        ? ofFound(loop)
        : null;
  }

  /** Of the head just found; gives its pin back. */
  private static @Nullable VaryMarker ofFound(FillContext loop) {
    StoredHead head = loop.lane().head();
    StoredMeta meta = loop.meta();
    MemorySegment memory = loop.store().region(head.region());
    VaryMarker found = null;
    if (meta.wrap(memory, head.headOffset()) && meta.isVaryMarker()) {
      found =
          new VaryMarker(
              meta.selectingFields(),
              VariantList.read(
                  memory, head.headOffset() + meta.length(), head.headLength() - meta.length()),
              head.objectId());
    }
    loop.lane().unpin(head.region());
    return found;
  }

  /**
   * The names a new response's variant is to be kept under: those of a marker already there and its
   * own, so that an origin which says now this, now that does not lose its variants. Without those
   * that the recipe has come to map since: what they select is not in what a fill asks.
   */
  static List<String> union(
      @Nullable VaryMarker marker, List<String> selectingFields, FieldRecipe recipe) {
    if (marker == null) {
      return selectingFields;
    }
    TreeSet<String> names = new TreeSet<>(marker.names);
    names.removeIf(recipe::maps);
    names.addAll(selectingFields);
    return names.size() > ResponsePolicy.MAX_SELECTING_FIELDS
        ? selectingFields
        : List.copyOf(names);
  }

  /**
   * Whether something stands at the base key that has to be read from a disk first. Expects the
   * base key in the loop's key builder.
   */
  static boolean isOnDisk(FillContext loop) {
    var keys = loop.keys();
    StoreLane lane = loop.lane();
    StoreLane.Found found = lane.find(keys.hi(), keys.lo(), keys.text(), keys.textLength());
    if (found == StoreLane.Found.HIT) {
      lane.unpin(lane.head().region());
    }
    return found == StoreLane.Found.ON_DISK;
  }

  /**
   * Notes that a variant is about to be stored, or has been asked for: puts it in front of the
   * list, drops what falls off its end, and sees to it that the marker has these names.
   *
   * @param variant null for no variant in particular
   * @param birth of the response; one that does not vary and was born later keeps its place
   */
  public static void enter(
      FillContext loop,
      Place place,
      List<String> names,
      @Nullable FillKey variant,
      long birth,
      long expiresAtMillis) {
    change(
        loop,
        place,
        names,
        birth,
        expiresAtMillis,
        list -> variant == null ? list : list.with(variant, place.limit()));
  }

  /** Notes that a response that does not vary is about to be stored beside the variants. */
  static void enterUnvaried(
      FillContext loop, Place place, List<String> names, long birth, long expiresAtMillis) {
    change(loop, place, names, birth, expiresAtMillis, VariantList::withUnvaried);
  }

  private static void change(
      FillContext loop,
      Place place,
      List<String> names,
      long birth,
      long expiresAtMillis,
      UnaryOperator<VariantList> change) {
    StoreLane lane = loop.lane();
    FillKey base = place.key();
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      VaryMarker old = null;
      if (lane.find(base.hi(), base.lo(), place.text(), place.text().length)
          == StoreLane.Found.HIT) {
        long bornThere = lane.head().birth();
        old = ofFound(loop);
        if (old == null && bornThere > birth) {
          return;
        }
      }
      // Variants told apart by other names are not found any more.
      boolean isSame = old != null && old.names.equals(names);
      VariantList before = VariantList.EMPTY;
      if (old != null) {
        before = isSame ? old.variants : new VariantList(old.variants.hasUnvaried(), List.of());
      }
      VariantList after = change.apply(before);
      if (isSame && after.equals(before)) {
        return;
      }
      switch (write(loop, place, names, after, expiresAtMillis, old)) {
        case INSTALLED -> {
          if (old != null) {
            drop(loop, old.variants, after);
          }
          return;
        }
        case GONE, BUSY -> {}
        default -> {
          return;
        }
      }
    }
  }

  /** Gives GONE when the old one has been replaced meanwhile. */
  private static InstallOutcome write(
      FillContext loop,
      Place place,
      List<String> names,
      VariantList variants,
      long expiresAtMillis,
      @Nullable VaryMarker old) {
    long birth = loop.store().nextBirth();
    if (birth < 0) {
      return InstallOutcome.NO_SPACE;
    }
    HeadSpec spec =
        new HeadSpec(
                place.key().hi(),
                place.key().lo(),
                place.text(),
                place.text().length,
                HeadBytes.join(
                    StoredMeta.encodeVaryMarker(names, loop.nowMillis()), variants.bytes()),
                place.scopes(),
                birth,
                expiresAtMillis,
                HeadSpec.Kind.VARY_MARKER,
                0)
            .inClass(place.storageClass());
    return old == null
        ? loop.lane().putMarker(spec)
        : loop.lane().replaceMarker(spec, old.objectId);
  }

  private static void drop(FillContext loop, VariantList before, VariantList after) {
    for (FillKey key : before.keys()) {
      if (!after.keys().contains(key)) {
        // If the index is busy it stays for now, and is listed again when it is asked for.
        boolean ignored = loop.lane().invalidate(key.hi(), key.lo());
        loop.counters().variantsDropped++;
      }
    }
  }
}
