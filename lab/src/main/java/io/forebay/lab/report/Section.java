package io.forebay.lab.report;

import java.util.List;

/**
 * A chapter of a report.
 *
 * @param id for links to it
 */
record Section(String id, String title, List<ReportBlock> blocks) {

  Section {
    blocks = List.copyOf(blocks);
  }
}
