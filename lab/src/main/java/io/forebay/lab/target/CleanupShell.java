package io.forebay.lab.target;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Ends programs and removes directories if this process is killed, when it can't do so itself. A
 * shell waits for the end of its standard input, which the kernel closes however this process ends:
 *
 * <pre>
 *   lab ── "end -4711", "remove /dev/shm/forebay-lab-1" ──► sh   pipe is closed: TERM, KILL, rm
 * </pre>
 *
 * <p>It works for all programs. A signal at the death of the parent ({@code PR_SET_PDEATHSIG}) does
 * not: the kernel forgets it when a program becomes another user, as hitch does, and it leaves
 * directories.
 */
final class CleanupShell implements AutoCloseable {
  /** Programs have two seconds; ^C in a terminal is for the lab, which ends them in order. */
  private static final String SCRIPT =
      """
      trap '' HUP INT TERM
      ids=
      while read -r what value; do
        case $what in
          end) ids="$ids $value" ;;
          remove) set -- "$@" "$value" ;;
        esac
      done
      for id in $ids; do kill -TERM "$id"; done
      tenths=0
      while [ $tenths -lt 20 ]; do
        alive=
        for id in $ids; do kill -0 "$id" && alive=1; done
        [ -n "$alive" ] || break
        sleep 0.1
        tenths=$((tenths + 1))
      done
      for id in $ids; do kill -KILL "$id"; done
      rm -rf -- "$@"
      """;

  private final Process shell;
  private final BufferedWriter orders;

  CleanupShell() throws IOException {
    shell =
        new ProcessBuilder("sh", "-c", SCRIPT)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    orders = shell.outputWriter(StandardCharsets.UTF_8);
  }

  /**
   * Ends a process.
   *
   * @param isLeader whether it leads a process group, which ends with it
   */
  void end(Process process, boolean isLeader) throws IOException {
    order("end " + (isLeader ? "-" : "") + process.pid());
  }

  void remove(Path directory) throws IOException {
    order("remove " + directory);
  }

  private void order(String line) throws IOException {
    orders.write(line + "\n");
    orders.flush();
  }

  /** Everything has been ended and removed. */
  @Override
  public void close() {
    // The signal comes before the end of its input, so that it does nothing more.
    shell.destroyForcibly();
  }
}
