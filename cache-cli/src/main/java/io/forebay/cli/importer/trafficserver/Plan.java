package io.forebay.cli.importer.trafficserver;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What requests of a rule get, while it is put together. */
final class Plan {
  /** Settings of the route. */
  final Map<String, Object> settings = new LinkedHashMap<>();

  /** Rules of the route, in their order. */
  final List<Map<String, Object>> rules = new ArrayList<>();

  /** The name of the origin; empty where rules answer every request. */
  String origin = "";

  /** The records that hold for the rule. */
  Records records;

  Plan(Records records) {
    this.records = records;
  }

  /** A rule with one action. */
  void rule(String action, Object value) {
    Map<String, Object> rule = new LinkedHashMap<>();
    rule.put(action, value);
    rules.add(rule);
  }
}
