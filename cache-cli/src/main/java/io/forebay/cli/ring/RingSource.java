package io.forebay.cli.ring;

import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import io.forebay.server.ring.RingFiles;
import io.forebay.server.ring.RingReader;
import io.forebay.server.ring.RingRecord;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rings of one process as one sequence, by the time at which requests ended. One record of each
 * ring is in memory at a time.
 */
final class RingSource implements AutoCloseable {
  private final List<RingReader> readers;

  /** The next record of each ring, as far as it is known. */
  private final @Nullable RingRecord[] next;

  private RingSource(List<RingReader> readers) {
    this.readers = readers;
    this.next = new @Nullable RingRecord[readers.size()];
  }

  static RingSource open(Path directory, boolean isOfPrevious) {
    List<RingReader> opened = new ArrayList<>();
    try {
      for (Path file : RingFiles.find(directory, isOfPrevious)) {
        opened.add(RingReader.open(file));
      }
    } catch (AccessDeniedException e) {
      close(opened);
      throw new CommandException(
          ExitCode.FAILURE,
          directory + " can be read by the user of the node alone: run this command as that user",
          e);
    } catch (NoSuchFileException e) {
      close(opened);
      throw new CommandException(
          ExitCode.FAILURE, e.getMessage() + " is gone: the node stopped, or starts again", e);
    } catch (IOException e) {
      close(opened);
      throw failed(e);
    }
    if (opened.isEmpty()) {
      throw new CommandException(
          ExitCode.FAILURE,
          directory
              + (isOfPrevious
                  ? " has no rings of an earlier process"
                  : " has no request rings: see access-log.ring"));
    }
    return new RingSource(opened);
  }

  private static CommandException failed(IOException e) {
    return new CommandException(ExitCode.FAILURE, CommandException.reason(e), e);
  }

  /** Leaves out what the rings have now. */
  void skipToEnd() {
    readers.forEach(RingReader::skipToEnd);
  }

  /** The next record; null where there is none yet. */
  @Nullable RingRecord next() {
    int first = -1;
    for (int i = 0; i < next.length; i++) {
      RingRecord candidate = next[i];
      if (candidate == null) {
        candidate = read(readers.get(i));
        next[i] = candidate;
      }
      RingRecord soFar = first < 0 ? null : next[first];
      if (candidate != null && (soFar == null || candidate.endNanos() < soFar.endNanos())) {
        first = i;
      }
    }
    if (first < 0) {
      return null;
    }
    RingRecord taken = next[first];
    next[first] = null;
    return taken;
  }

  private static @Nullable RingRecord read(RingReader reader) {
    try {
      return reader.next();
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** Records that were overwritten before they were read. */
  private long lost() {
    return readers.stream().mapToLong(RingReader::lost).sum();
  }

  /** Says so. */
  void noteLost(Output output) {
    if (lost() > 0) {
      output.note(
          "forebay: "
              + lost()
              + " requests were overwritten before they were read: raise access-log.ring");
    }
  }

  /** Why there are no more records to come; null while the process runs. */
  @Nullable String end() {
    RingReader one = readers.getFirst();
    if (one.stopMillis() != 0) {
      return "process " + one.process() + " has stopped";
    }
    return ProcessHandle.of(one.process()).isPresent()
        ? null
        : "process " + one.process() + " is gone without a stop in order";
  }

  @Override
  public void close() {
    close(readers);
  }

  private static void close(List<RingReader> readers) {
    readers.forEach(RingReader::close);
  }
}
