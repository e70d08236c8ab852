package io.forebay.core.key;

import io.forebay.core.http.AcceptClasses;
import io.forebay.core.http.FieldSyntax;
import java.util.List;
import java.util.Locale;

/**
 * The request fields, cookies and derived values that are part of the key. A response that varies
 * only by these needs no variant, because a fill sends the origin exactly the values in the key.
 *
 * @param headers names of fields whose values are in the key, lower case
 * @param cookies names of cookies that are; if there are any, a fill sends no others
 * @param hasDevice whether the {@link DeviceClass} is
 * @param languages if not empty, one of these, the first where none fits; lower case
 * @param ignored names of fields that a fill does not send, lower case
 * @param unkeyed which fields the origin does not get by other rules, unless they are in the key
 * @param accept the classes that Accept counts as where responses vary by it; a fill sends them
 */
public record FieldRecipe(
    List<String> headers,
    List<String> cookies,
    boolean hasDevice,
    List<String> languages,
    List<String> ignored,
    UnkeyedFields unkeyed,
    AcceptClasses accept) {

  /** Nothing of it. */
  public static final FieldRecipe NONE =
      new FieldRecipe(List.of(), List.of(), false, List.of(), List.of());

  /** With the default rules for fields that are not in the key. */
  public FieldRecipe(
      List<String> headers,
      List<String> cookies,
      boolean hasDevice,
      List<String> languages,
      List<String> ignored) {
    this(headers, cookies, hasDevice, languages, ignored, UnkeyedFields.DEFAULT);
  }

  /** With Accept as an ordinary field. */
  public FieldRecipe(
      List<String> headers,
      List<String> cookies,
      boolean hasDevice,
      List<String> languages,
      List<String> ignored,
      UnkeyedFields unkeyed) {
    this(headers, cookies, hasDevice, languages, ignored, unkeyed, AcceptClasses.NONE);
  }

  public FieldRecipe {
    headers = List.copyOf(headers);
    cookies = List.copyOf(cookies);
    languages = List.copyOf(languages);
    ignored = List.copyOf(ignored);
    requireNames(headers, true);
    requireNames(cookies, false);
    requireNames(languages, true);
    requireNames(ignored, true);
    if (!accept.isEmpty() && (headers.contains("accept") || ignored.contains("accept"))) {
      throw new IllegalArgumentException("the field accept is named twice");
    }
    for (String name : headers) {
      if (ignored.contains(name) || isInKeyOtherwise(name, cookies, hasDevice, languages)) {
        throw new IllegalArgumentException("the field " + name + " is named twice");
      }
      if (UnkeyedFields.cgiAlias(name) != null) {
        throw new IllegalArgumentException(
            "an origin may read " + name + " as " + UnkeyedFields.cgiAlias(name));
      }
    }
  }

  private static boolean isInKeyOtherwise(
      String name, List<String> cookies, boolean hasDevice, List<String> languages) {
    return switch (name) {
      case "cookie" -> !cookies.isEmpty();
      case "accept-language" -> !languages.isEmpty();
      case DeviceClass.USER_AGENT, DeviceClass.MOBILE_HINT, DeviceClass.FIELD -> hasDevice;
      default -> false;
    };
  }

  private static void requireNames(List<String> names, boolean isLower) {
    for (String name : names) {
      if (!FieldSyntax.isToken(name) || (isLower && !name.equals(name.toLowerCase(Locale.ROOT)))) {
        throw new IllegalArgumentException("not a name in normal form: " + name);
      }
    }
  }

  /** Whether the key has something of the header. */
  boolean isInKey() {
    return hasDevice || !headers.isEmpty() || !cookies.isEmpty() || !languages.isEmpty();
  }

  /** Whether the origin does not get a field of a request that may be answered from the store. */
  public boolean drops(String lowerCaseName) {
    return !headers.contains(lowerCaseName) && unkeyed.drops(lowerCaseName);
  }

  /** Whether it does not get one of a request that never is. */
  public boolean dropsPassed(String method, String lowerCaseName) {
    return !headers.contains(lowerCaseName) && unkeyed.dropsPassed(method, lowerCaseName);
  }

  /** Whether all that an origin sees of this field is in the key. */
  public boolean maps(String lowerCaseName) {
    return isInKeyOtherwise(lowerCaseName, cookies, hasDevice, languages)
        || headers.contains(lowerCaseName)
        || ignored.contains(lowerCaseName)
        || drops(lowerCaseName);
  }
}
