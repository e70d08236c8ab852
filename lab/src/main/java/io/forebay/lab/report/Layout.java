package io.forebay.lab.report;

import java.util.List;

/** The tables and plots of one published test. */
interface Layout {

  String id();

  String title();

  boolean fits(String scenario);

  /**
   * Tables and plots of steps, of which there is at least one.
   *
   * @param steps of the scenarios that fit
   */
  List<ReportBlock> blocks(List<MeasuredStep> steps, Published published);

  /** All, in the order of a report; the last one fits every scenario. */
  static List<Layout> all() {
    return List.of(
        new XeonLayout(),
        new IntelLayout(),
        new AttKpiLayout(),
        new AttChannelsLayout(),
        new OneByteLayout(),
        new FlashSizesLayout(),
        new StepsLayout());
  }
}
