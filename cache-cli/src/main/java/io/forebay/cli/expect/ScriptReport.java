package io.forebay.cli.expect;

import io.forebay.server.config.ConfigProblem;
import io.forebay.server.config.SourceLocation;
import java.util.List;

/**
 * What became of a script.
 *
 * @param config the configuration that was tested; empty where none was read
 * @param problems why nothing was run; empty where it was
 * @param exitCode of a command that runs this alone
 */
public record ScriptReport(
    String file,
    String config,
    List<StepResult> steps,
    List<ConfigProblem> problems,
    int exitCode) {

  /**
   * What became of a step.
   *
   * @param did the request and its response in one line
   */
  public record StepResult(String step, int line, String did, List<Mismatch> mismatches) {
    public boolean isGood() {
      return mismatches.isEmpty();
    }
  }

  /**
   * Something that is not as expected.
   *
   * @param what the key of the expectation
   */
  public record Mismatch(
      String file, int line, int column, String what, String expected, String came) {

    static Mismatch at(SourceLocation place, String what, String expected, String came) {
      return new Mismatch(place.source(), place.line(), place.column(), what, expected, came);
    }
  }

  public long failed() {
    return steps.stream().filter(step -> !step.isGood()).count();
  }
}
