package io.forebay.core.http;

import java.nio.charset.StandardCharsets;

/**
 * Parses and formats HTTP dates (RFC 9110 §5.6.7). All three formats are parsed, strictly except
 * for letter case (RFC 9111 §4.2); only the first, IMF-fixdate, is written.
 *
 * <pre>
 *   Sun, 06 Nov 1994 08:49:37 GMT    IMF-fixdate
 *   Sunday, 06-Nov-94 08:49:37 GMT   RFC 850
 *   Sun Nov  6 08:49:37 1994         asctime
 * </pre>
 *
 * The name of the day has to be a day's name but need not be the right one: it carries nothing, and
 * refusing the date for it would only make a response stale that its origin meant to be fresh.
 */
public final class HttpDate {

  /** What {@link #parse} gives for anything that is not an HTTP date. */
  public static final long INVALID = Long.MIN_VALUE;

  /** Length of an IMF-fixdate in bytes. */
  public static final int LENGTH = 29;

  private static final String DAYS = "SunMonTueWedThuFriSat";
  private static final String MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
  private static final String[] LONG_DAYS = {
    "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"
  };
  private static final long SECONDS_A_DAY = 86_400;

  private HttpDate() {}

  /**
   * Milliseconds since the epoch, or {@link #INVALID}.
   *
   * @param nowMillis decides the century of a two-digit year: what would lie more than 50 years
   *     ahead is meant to be in the past (RFC 9110 §5.6.7)
   */
  public static long parse(CharSequence text, long nowMillis) {
    int length = text.length();
    if (length == LENGTH && text.charAt(3) == ',') {
      return parseFixdate(text);
    }
    if (length == 24 && text.charAt(3) == ' ') {
      return parseAsctime(text);
    }
    return parseRfc850(text, nowMillis);
  }

  private static long parseFixdate(CharSequence text) {
    boolean framed =
        isDay(text)
            && text.charAt(4) == ' '
            && text.charAt(7) == ' '
            && text.charAt(11) == ' '
            && text.charAt(16) == ' '
            && endsInGmt(text, 25);
    return framed
        ? millis(number(text, 12, 4), month(text, 8), number(text, 5, 2), secondOfDay(text, 17))
        : INVALID;
  }

  private static long parseAsctime(CharSequence text) {
    boolean framed =
        isDay(text) && text.charAt(7) == ' ' && text.charAt(10) == ' ' && text.charAt(19) == ' ';
    if (!framed) {
      return INVALID;
    }
    int day = text.charAt(8) == ' ' ? number(text, 9, 1) : number(text, 8, 2);
    return millis(number(text, 20, 4), month(text, 4), day, secondOfDay(text, 11));
  }

  private static long parseRfc850(CharSequence text, long nowMillis) {
    int comma = longDayLength(text);
    if (comma < 0 || text.length() != comma + 24) {
      return INVALID;
    }
    boolean framed =
        text.charAt(comma + 1) == ' '
            && text.charAt(comma + 4) == '-'
            && text.charAt(comma + 8) == '-'
            && text.charAt(comma + 11) == ' '
            && endsInGmt(text, comma + 20);
    int shortYear = framed ? number(text, comma + 9, 2) : -1;
    if (shortYear < 0) {
      return INVALID;
    }
    int month = month(text, comma + 5);
    int day = number(text, comma + 2, 2);
    int second = secondOfDay(text, comma + 12);
    int thisYear = yearOf(Math.floorDiv(nowMillis, SECONDS_A_DAY * 1000));
    int year = thisYear - thisYear % 100 + shortYear;
    if (year > thisYear + 50) {
      year -= 100;
    } else if (year <= thisYear - 50) {
      year += 100;
    }
    return millis(year, month, day, second);
  }

  private static int longDayLength(CharSequence text) {
    for (String day : LONG_DAYS) {
      int length = day.length();
      if (text.length() > length
          && text.charAt(length) == ','
          && FieldSyntax.equalsIgnoreCase(text, 0, length, day)) {
        return length;
      }
    }
    return -1;
  }

  private static boolean isDay(CharSequence text) {
    return indexOfThree(DAYS, text, 0) >= 0;
  }

  /** 1 to 12, or -1. */
  private static int month(CharSequence text, int offset) {
    int index = indexOfThree(MONTHS, text, offset);
    return index < 0 ? -1 : index + 1;
  }

  private static int indexOfThree(String names, CharSequence text, int offset) {
    for (int i = 0; i < names.length(); i += 3) {
      if (isSame(names.charAt(i), text.charAt(offset))
          && isSame(names.charAt(i + 1), text.charAt(offset + 1))
          && isSame(names.charAt(i + 2), text.charAt(offset + 2))) {
        return i / 3;
      }
    }
    return -1;
  }

  private static boolean endsInGmt(CharSequence text, int offset) {
    return text.charAt(offset) == ' '
        && FieldSyntax.equalsIgnoreCase(text, offset + 1, offset + 4, "gmt");
  }

  private static boolean isSame(char a, char b) {
    return FieldSyntax.lower(a) == FieldSyntax.lower(b);
  }

  private static int secondOfDay(CharSequence text, int offset) {
    int hour = number(text, offset, 2);
    int minute = number(text, offset + 3, 2);
    int second = number(text, offset + 6, 2);
    boolean valid =
        text.charAt(offset + 2) == ':'
            && text.charAt(offset + 5) == ':'
            && hour >= 0
            && hour < 24
            && minute >= 0
            && minute < 60
            && second >= 0
            && second <= 60;
    return valid ? (hour * 60 + minute) * 60 + second : -1;
  }

  private static int number(CharSequence text, int offset, int digits) {
    int value = 0;
    for (int i = offset; i < offset + digits; i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      value = value * 10 + digit;
    }
    return value;
  }

  private static long millis(int year, int month, int day, int secondOfDay) {
    if (year < 0 || month < 1 || day < 1 || secondOfDay < 0 || day > daysIn(year, month)) {
      return INVALID;
    }
    return (epochDay(year, month, day) * SECONDS_A_DAY + secondOfDay) * 1000;
  }

  private static int daysIn(int year, int month) {
    return switch (month) {
      case 2 -> isLeap(year) ? 29 : 28;
      case 4, 6, 9, 11 -> 30;
      default -> 31;
    };
  }

  private static boolean isLeap(int year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  }

  /** Days since 1970-01-01, counted in years that begin in March so that leap days come last. */
  private static long epochDay(int year, int month, int day) {
    long marchYear = month <= 2 ? year - 1L : year;
    long era = Math.floorDiv(marchYear, 400L);
    long yearOfEra = marchYear - era * 400;
    long dayOfYear = (153L * ((month + 9) % 12) + 2) / 5 + day - 1;
    long dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
    return era * 146_097 + dayOfEra - 719_468;
  }

  private static int yearOf(long epochDay) {
    return (int) (civil(epochDay) >> 16);
  }

  /** Year, month and day packed as {@code year << 16 | month << 8 | day}. */
  private static long civil(long epochDay) {
    long shifted = epochDay + 719_468;
    long era = Math.floorDiv(shifted, 146_097L);
    long dayOfEra = shifted - era * 146_097;
    long yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
    long dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
    long marchMonth = (5 * dayOfYear + 2) / 153;
    long day = dayOfYear - (153 * marchMonth + 2) / 5 + 1;
    long month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
    long year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
    return year << 16 | month << 8 | day;
  }

  /**
   * Writes the IMF-fixdate of a time in the years 0 to 9999 into {@link #LENGTH} bytes.
   *
   * @throws IllegalArgumentException for a time outside those years
   */
  public static void format(long epochMillis, byte[] into, int offset) {
    long epochSecond = Math.floorDiv(epochMillis, 1000L);
    long epochDay = Math.floorDiv(epochSecond, SECONDS_A_DAY);
    int secondOfDay = (int) (epochSecond - epochDay * SECONDS_A_DAY);
    long date = civil(epochDay);
    long year = date >> 16;
    if (year < 0 || year > 9999) {
      throw new IllegalArgumentException("year out of range: " + year);
    }
    copyThree(DAYS, (int) Math.floorMod(epochDay + 4, 7L), into, offset);
    into[offset + 3] = ',';
    into[offset + 4] = ' ';
    digits((int) (date & 0xff), into, offset + 5);
    into[offset + 7] = ' ';
    copyThree(MONTHS, (int) (date >> 8 & 0xff) - 1, into, offset + 8);
    into[offset + 11] = ' ';
    digits((int) year / 100, into, offset + 12);
    digits((int) year % 100, into, offset + 14);
    into[offset + 16] = ' ';
    digits(secondOfDay / 3600, into, offset + 17);
    into[offset + 19] = ':';
    digits(secondOfDay / 60 % 60, into, offset + 20);
    into[offset + 22] = ':';
    digits(secondOfDay % 60, into, offset + 23);
    into[offset + 25] = ' ';
    into[offset + 26] = 'G';
    into[offset + 27] = 'M';
    into[offset + 28] = 'T';
  }

  /** As {@link #format(long, byte[], int)}, as a text. */
  public static String format(long epochMillis) {
    byte[] text = new byte[LENGTH];
    format(epochMillis, text, 0);
    return new String(text, StandardCharsets.US_ASCII);
  }

  private static void copyThree(String names, int index, byte[] into, int offset) {
    for (int i = 0; i < 3; i++) {
      into[offset + i] = (byte) names.charAt(3 * index + i);
    }
  }

  private static void digits(int twoDigits, byte[] into, int offset) {
    into[offset] = (byte) ('0' + twoDigits / 10);
    into[offset + 1] = (byte) ('0' + twoDigits % 10);
  }
}
