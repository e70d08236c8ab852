package io.forebay.server.esi;

import io.forebay.core.http.FieldsView;

/** What an exchange is for, where the route of its request assembles pages. */
public interface EsiRole {

  /** Whether the response is a part of a page, not the page. */
  boolean isFragment();

  /**
   * A response was found and is sent next, unless another one is found before that.
   *
   * @param response its fields as they are stored, or as they came from the origin
   * @return whether it is a page: then it has to be sent whole and without a coding of this node
   */
  boolean found(int status, FieldsView response);

  /** What was found does not count: something else is looked for. */
  void lookedUpAgain();

  /** What is counted and logged of the exchange. */
  void record(EsiRecord record);

  /** Whether the record is finished by somebody else, when the assembled page has ended. */
  boolean holdsRecord();
}
