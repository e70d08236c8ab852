package io.forebay.core.key;

import java.util.Set;

/** How a route derives cache keys from requests. Immutable. */
public final class KeyRecipe {

  /** Variants under one key where a route says nothing else. */
  public static final int DEFAULT_VARIANTS = 64;

  /** The most that a route may allow: their list is one record of the store. */
  public static final int MAX_VARIANTS = 256;

  /** The whole URL and nothing else. */
  public static final KeyRecipe DEFAULT = new KeyRecipe(UrlRecipe.WHOLE, FieldRecipe.NONE);

  private final UrlRecipe url;
  private final FieldRecipe fields;
  private final int variants;
  private final boolean hasSearchRules;
  private final boolean cachesQuery;

  /** What the key says of the groups of clients, or nothing. */
  private final String groups;

  private final boolean hasGroups;

  // Worked out once: the common request asks for nothing else.
  private final boolean isUrlWhole;
  private final boolean hasFields;
  private final Set<String> replacedFields;

  public KeyRecipe(UrlRecipe url, FieldRecipe fields) {
    this(url, fields, DEFAULT_VARIANTS, false, false);
  }

  /**
   * A recipe.
   *
   * @param variants how many responses told apart by Vary are kept under one key
   * @param hasSearchRules whether responses may say what of a query matters (No-Vary-Search)
   * @param cachesQuery whether responses to QUERY are stored, under a key that has its content
   */
  public KeyRecipe(
      UrlRecipe url,
      FieldRecipe fields,
      int variants,
      boolean hasSearchRules,
      boolean cachesQuery) {
    this(url, fields, variants, hasSearchRules, cachesQuery, false, "");
  }

  private KeyRecipe(
      UrlRecipe url,
      FieldRecipe fields,
      int variants,
      boolean hasSearchRules,
      boolean cachesQuery,
      boolean hasGroups,
      String groups) {
    if (variants < 1 || variants > MAX_VARIANTS) {
      throw new IllegalArgumentException("variants: " + variants);
    }
    this.url = url;
    this.fields = fields;
    this.variants = variants;
    this.hasSearchRules = hasSearchRules;
    this.cachesQuery = cachesQuery;
    this.hasGroups = hasGroups;
    this.groups = groups;
    this.isUrlWhole = url.isWhole();
    this.hasFields = fields.isInKey();
    this.replacedFields = CanonicalRequest.replacedFields(url, fields);
  }

  /**
   * The recipe for clients of some groups; clients of others have other keys.
   *
   * @param text names the groups; empty for the one whose keys say nothing of it
   */
  public KeyRecipe ofGroups(String text) {
    return new KeyRecipe(url, fields, variants, hasSearchRules, cachesQuery, true, text);
  }

  /** What the key says of the groups of the client, or nothing. */
  public String groups() {
    return groups;
  }

  public UrlRecipe url() {
    return url;
  }

  public FieldRecipe fields() {
    return fields;
  }

  public int variants() {
    return variants;
  }

  public boolean hasSearchRules() {
    return hasSearchRules;
  }

  public boolean cachesQuery() {
    return cachesQuery;
  }

  /** Whether requests for one URL may have several base keys. */
  public boolean hasSeveralKeys() {
    return hasFields || hasSearchRules || cachesQuery || hasGroups;
  }

  /** Whether the key has the URL as it was received. */
  public boolean isUrlWhole() {
    return isUrlWhole;
  }

  /** Whether the key has something of the request's header. */
  public boolean hasFields() {
    return hasFields;
  }

  /** Names of fields that a fill does not copy from the request that caused it. */
  Set<String> replacedFields() {
    return replacedFields;
  }
}
