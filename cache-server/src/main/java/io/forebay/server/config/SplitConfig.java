package io.forebay.server.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;

/**
 * Groups of clients that rules tell apart.
 *
 * @param by {@code client}, {@code cookie NAME} or {@code header NAME}
 * @param salt as configured, or the name
 * @param groups their shares
 */
record SplitConfig(String name, String by, String salt, Shares groups) {

  /**
   * Names of groups and their shares, in parts of 10,000, in the order in which they were written.
   */
  record Shares(Map<String, Integer> parts) {

    /** No groups. */
    static final Shares NONE = new Shares(Map.of());

    public Shares {
      parts = Collections.unmodifiableMap(new LinkedHashMap<>(parts));
    }

    /** As it is written: {@code beta=10%,current=90%}. */
    @Override
    public String toString() {
      StringJoiner text = new StringJoiner(",");
      parts.forEach((group, share) -> {
        String decimals =
            share % 100 == 0 ? "" : "." + String.format("%02d", share % 100).replaceAll("0$", "");
        text.add(group + "=" + share / 100 + decimals + "%");
      });
      return text.toString();
    }
  }
}
