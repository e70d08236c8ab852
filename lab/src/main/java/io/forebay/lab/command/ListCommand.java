package io.forebay.lab.command;

import io.forebay.lab.scenario.Profile;
import io.forebay.lab.scenario.Scenario;
import io.forebay.lab.scenario.Scenarios;
import io.forebay.lab.scenario.Step;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** Lists the scenarios of the lab. */
@Command(
    name = "list",
    mixinStandardHelpOptions = true,
    description = "Lists the scenarios: name, published test, what it measures.")
final class ListCommand implements Callable<Integer> {

  @Option(names = "--json", description = "As JSON, with the steps of each profile.")
  private boolean isJson;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
  private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    int cores = Runtime.getRuntime().availableProcessors();
    List<Map<String, Object>> all = new ArrayList<>();
    for (String name : Scenarios.names()) {
      Scenario full = Scenarios.read(name, Profile.FULL, cores);
      if (isJson) {
        all.add(json(full, cores));
      } else {
        out.printf("%-13s %s%n%-13s %s%n", name, full.title(), "", full.source());
      }
    }
    if (isJson) {
      out.println(new JsonMapper().writerWithDefaultPrettyPrinter().writeValueAsString(all));
    }
    out.flush();
    return LabExit.OK;
  }

  private static Map<String, Object> json(Scenario full, int cores) throws IOException {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("name", full.name());
    json.put("title", full.title());
    json.put("source", full.source());
    Map<String, Object> profiles = new LinkedHashMap<>();
    for (Profile profile : Profile.values()) {
      Scenario scenario = Scenarios.read(full.name(), profile, cores);
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("factor", scenario.factor());
      one.put("timeFactor", scenario.timeFactor());
      one.put("repetitions", scenario.repetitions());
      one.put("steps", scenario.steps().stream().map(Step::name).toList());
      profiles.put(profile.label(), one);
    }
    json.put("profiles", profiles);
    return json;
  }
}
