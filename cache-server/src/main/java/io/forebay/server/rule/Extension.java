package io.forebay.server.rule;

import java.util.List;
import java.util.Optional;

/**
 * Code from outside of the node that a rule calls. Never throws: what goes wrong in it is turned
 * into what the rule says of that. Any thread.
 */
public interface Extension {

  /** For people. */
  String name();

  /** The groups into which it can put requests, each with the origin of its requests. */
  List<Group> groups();

  /** Whether hits are subject to it. */
  boolean concernsHits();

  /** Whether what the origin is asked depends on more than the group. */
  boolean changesRequests();

  /** Whether it says how responses are stored. */
  boolean concernsStoring();

  /** Asks it about a request for which its rule holds. */
  ExtensionCall ask(RequestFacts facts);

  /** A group of requests that keys tell apart. */
  record Group(String name, Optional<String> origin) {}
}
