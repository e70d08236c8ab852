package io.forebay.server.config;

import java.util.Locale;

/** Recognizes hosts that denote this machine by their text; names are not resolved. */
public final class Loopback {

  private Loopback() {}

  /** Whether the host is {@code localhost}, an address of 127.0.0.0/8 or {@code ::1}. */
  public static boolean isLoopback(String host) {
    return host.toLowerCase(Locale.ROOT).equals("localhost")
        || host.equals("::1")
        || host.equals("0:0:0:0:0:0:0:1")
        || host.matches("127(\\.(25[0-5]|2[0-4]\\d|1?\\d?\\d)){3}");
  }
}
