package io.forebay.core.key;

/** How a route makes keys of requests. Immutable. */
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

  // Worked out once: the common request asks for nothing else.
  private final boolean isUrlWhole;
  private final boolean hasFields;

  public KeyRecipe(UrlRecipe url, FieldRecipe fields) {
    this(url, fields, DEFAULT_VARIANTS);
  }

  /**
   * A recipe.
   *
   * @param variants how many responses told apart by Vary are kept under one key
   */
  public KeyRecipe(UrlRecipe url, FieldRecipe fields, int variants) {
    if (variants < 1 || variants > MAX_VARIANTS) {
      throw new IllegalArgumentException("variants: " + variants);
    }
    this.url = url;
    this.fields = fields;
    this.variants = variants;
    this.isUrlWhole = url.isWhole();
    this.hasFields = fields.isInKey();
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

  /** Whether the key has the URL as it was received. */
  public boolean isUrlWhole() {
    return isUrlWhole;
  }

  /** Whether requests for one URL have several keys, Vary apart. */
  public boolean hasFields() {
    return hasFields;
  }
}
