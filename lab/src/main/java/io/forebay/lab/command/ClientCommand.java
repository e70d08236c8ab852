package io.forebay.lab.command;

import io.forebay.lab.body.Body;
import io.forebay.lab.load.ClientLines;
import io.forebay.lab.load.LoadPlan;
import io.forebay.lab.load.client.BodyCheck;
import io.forebay.lab.load.client.Client;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The lab's client as a process. Exits with 0, or with 1 and a sentence on standard error. */
@Command(
    name = "client",
    mixinStandardHelpOptions = true,
    description = {
      "Makes load by a plan and tells what came of it, one line of JSON for each second and one at"
          + " the end.",
      "Reads the plan as one line of JSON on standard input, and ends when standard input does."
    })
final class ClientCommand implements Callable<Integer> {
  private static final BodyCheck BODIES = (seed, path) -> Body.of(seed, path)::matches;
  private static final int MAX_PLAN_CHARS = 16 << 20;

  @Option(names = "--threads", defaultValue = "1", description = "Event loops (default 1).")
  private int threads = 1;

  @Option(
      names = "--plan",
      paramLabel = "FILE",
      description = "Read the plan from a file and standard input not at all.")
  private @Nullable Path plan;

  @Option(
      names = "--index",
      defaultValue = "0",
      description = "Which of several clients this is, from 0.")
  private int index;

  @Option(names = "--processes", defaultValue = "1", description = "How many clients there are.")
  private int processes = 1;

  @Option(
      names = "--coordinated",
      description = "Open the connections, answer for the clock, and begin when told to.")
  private boolean isCoordinated;

  @Override
  public Integer call() throws InterruptedException {
    try {
      if (threads < 1 || processes < 1 || index < 0 || index >= processes) {
        throw new IllegalArgumentException(
            "--threads and --processes are 1 or more, --index is less than --processes");
      }
      run();
      return LabExit.OK;
    } catch (IOException | IllegalArgumentException e) {
      System.err.println("client: " + e.getMessage());
      return LabExit.FAILURE;
    }
  }

  private void run() throws IOException, InterruptedException {
    Client.Options options = new Client.Options(threads, index, processes, isCoordinated);
    if (plan != null) {
      if (Files.size(plan) > MAX_PLAN_CHARS) {
        throw new IOException(plan + ": a plan has at most " + MAX_PLAN_CHARS + " characters");
      }
      LoadPlan read = ClientLines.plan(Files.readString(plan));
      new Client(read, options, BODIES, ClientCommand::print).run(null);
      return;
    }
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String line = in.readLine();
    if (line == null || line.length() > MAX_PLAN_CHARS) {
      throw new IOException("no plan on standard input");
    }
    new Client(ClientLines.plan(line), options, BODIES, ClientCommand::print).run(in);
  }

  /** Whole lines, since several threads print. */
  private static synchronized void print(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
