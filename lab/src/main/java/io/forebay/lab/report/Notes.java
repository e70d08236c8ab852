package io.forebay.lab.report;

/** Sentences that several tables share. */
final class Notes {

  static final String PER_CORE =
      "Per core: ours is divided by the cores that the server kept busy, published figures by the"
          + " cores of the CPUs, unless the source tells how many were busy. So a published figure"
          + " per core is a lower bound.";

  private Notes() {}
}
