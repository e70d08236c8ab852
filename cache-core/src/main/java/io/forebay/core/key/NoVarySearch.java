package io.forebay.core.key;

import io.forebay.core.http.FieldsView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.greenbytes.http.sfv.BooleanItem;
import org.greenbytes.http.sfv.Dictionary;
import org.greenbytes.http.sfv.InnerList;
import org.greenbytes.http.sfv.Item;
import org.greenbytes.http.sfv.ListElement;
import org.greenbytes.http.sfv.ParseException;
import org.greenbytes.http.sfv.Parser;
import org.greenbytes.http.sfv.StringItem;
import org.jspecify.annotations.Nullable;

/**
 * Parses the No-Vary-Search field of a response (draft-ietf-httpbis-no-vary-search): a Structured
 * Fields dictionary that tells which parts of the query do not affect the response.
 *
 * <pre>
 *   No-Vary-Search: key-order                        the order of the parameters does not matter
 *   No-Vary-Search: params=("utm_source" "gclid")    these parameters don't
 *   No-Vary-Search: params, except=("id")            none but these do
 * </pre>
 *
 * Anything else, a key that is not known included, says nothing: then each query is one of its own,
 * which is never wrong. Parameters are compared as a form's (WHATWG URL §5.1): {@code +} is a
 * blank, percent-encodings count as what they stand for. Two encodings that are no UTF-8 are not
 * taken for the same, as the draft has it: that finds less, never more.
 */
public final class NoVarySearch {

  private static final int MAX_FIELD_LENGTH = 4096;
  private static final int MAX_TEXT_LENGTH = 768;
  private static final char SEPARATOR = '!';
  private static final String HEX = "0123456789ABCDEF";

  private final boolean isOrderSignificant;

  /** Whether the names are those that matter, instead of those that don't. */
  private final boolean isExcept;

  private final List<String> names;
  private final String text;

  private NoVarySearch(boolean isOrderSignificant, boolean isExcept, List<String> encodedNames) {
    this.isOrderSignificant = isOrderSignificant;
    this.isExcept = isExcept;
    this.names = List.copyOf(new TreeSet<>(encodedNames));
    this.text =
        (isOrderSignificant ? "o" : "s")
            + (isExcept ? "+" : "-")
            + String.join(Character.toString(SEPARATOR), names);
  }

  /** What a response says, or null when it says nothing. */
  public static @Nullable NoVarySearch of(FieldsView response) {
    String field = response.combined("no-vary-search");
    if (field == null || field.length() > MAX_FIELD_LENGTH) {
      return null;
    }
    try {
      return of(Parser.parseDictionary(field));
    } catch (ParseException e) {
      return null;
    }
  }

  private static @Nullable NoVarySearch of(Dictionary dictionary) {
    boolean isOrderSignificant = true;
    boolean isEverything = false;
    List<String> params = List.of();
    List<String> except = null;
    for (Map.Entry<String, ListElement<?>> entry : dictionary.get().entrySet()) {
      switch (entry.getKey()) {
        case "key-order" -> {
          if (!(entry.getValue() instanceof BooleanItem order)) {
            return null;
          }
          isOrderSignificant = !order.get();
        }
        case "params" -> {
          if (entry.getValue() instanceof BooleanItem all) {
            isEverything = all.get();
          } else {
            List<String> listed = encodedNames(entry.getValue());
            if (listed == null) {
              return null;
            }
            params = listed;
          }
        }
        case "except" -> {
          except = encodedNames(entry.getValue());
          if (except == null) {
            return null;
          }
        }
        default -> {
          return null;
        }
      }
    }
    if (except != null && !isEverything) {
      return null;
    }
    NoVarySearch rule =
        new NoVarySearch(
            isOrderSignificant,
            isEverything,
            isEverything ? (except == null ? List.of() : except) : params);
    boolean saysNothing = isOrderSignificant && !isEverything && params.isEmpty();
    return saysNothing || rule.text.length() > MAX_TEXT_LENGTH ? null : rule;
  }

  private static @Nullable List<String> encodedNames(ListElement<?> element) {
    if (!(element instanceof InnerList list)) {
      return null;
    }
    List<String> names = new ArrayList<>();
    for (Item<?> item : list.get()) {
      if (!(item instanceof StringItem name)) {
        return null;
      }
      names.add(encoded(decoded(name.get())));
    }
    return names;
  }

  /** The rule of a {@link #text}, or null when it is none. */
  public static @Nullable NoVarySearch parse(String text) {
    if (text.length() < 2 || "os".indexOf(text.charAt(0)) < 0 || "+-".indexOf(text.charAt(1)) < 0) {
      return null;
    }
    String names = text.substring(2);
    return new NoVarySearch(
        text.charAt(0) == 'o',
        text.charAt(1) == '+',
        names.isEmpty() ? List.of() : List.of(names.split(Character.toString(SEPARATOR), -1)));
  }

  /** The rule in one canonical form, without blanks and commas. */
  public String text() {
    return text;
  }

  /** What of a query matters, in one canonical form; null for nothing. */
  public @Nullable String reduced(@Nullable String query) {
    if (query == null) {
      return null;
    }
    List<String[]> parameters = new ArrayList<>();
    for (String piece : query.split("&", -1)) {
      if (piece.isEmpty()) {
        continue;
      }
      int equals = piece.indexOf('=');
      String name = encoded(decoded(equals < 0 ? piece : piece.substring(0, equals)));
      if (names.contains(name) == isExcept) {
        String value = equals < 0 ? "" : encoded(decoded(piece.substring(equals + 1)));
        parameters.add(new String[] {name, value});
      }
    }
    if (!isOrderSignificant) {
      // Stable: those of one name keep their order.
      parameters.sort(Comparator.comparing(parameter -> parameter[0]));
    }
    StringBuilder reduced = new StringBuilder();
    for (String[] parameter : parameters) {
      reduced.append(reduced.isEmpty() ? "" : "&").append(parameter[0]);
      reduced.append('=').append(parameter[1]);
    }
    return parameters.isEmpty() ? null : reduced.toString();
  }

  private static byte[] decoded(String text) {
    byte[] bytes = new byte[text.length()];
    int length = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      int high = c == '%' && i + 2 < text.length() ? Character.digit(text.charAt(i + 1), 16) : -1;
      int low = high < 0 ? -1 : Character.digit(text.charAt(i + 2), 16);
      if (low >= 0) {
        bytes[length++] = (byte) (high << 4 | low);
        i += 2;
      } else {
        bytes[length++] = (byte) (c == '+' ? ' ' : c);
      }
    }
    return Arrays.copyOf(bytes, length);
  }

  /** Everything but letters, digits and {@code - . _ ~} is encoded. */
  private static String encoded(byte[] bytes) {
    StringBuilder text = new StringBuilder(bytes.length);
    for (byte octet : bytes) {
      char c = (char) (octet & 0xff);
      boolean isPlain =
          (c >= '0' && c <= '9')
              || (c >= 'A' && c <= 'Z')
              || (c >= 'a' && c <= 'z')
              || "-._~".indexOf(c) >= 0;
      if (isPlain) {
        text.append(c);
      } else {
        text.append('%').append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 15));
      }
    }
    return text.toString();
  }
}
