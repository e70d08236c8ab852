package io.forebay.lab.host;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The line {@code stat} of a process or thread.
 *
 * @param id of the process or thread
 * @param name at most 15 characters
 * @param parent process that waits for it
 * @param own CPU of all its threads, ended ones included
 * @param reaped CPU of children that it waited for, with that of theirs
 * @param startTicks since the machine's start
 */
record ProcessStat(
    long id, String name, long parent, CpuTicks own, CpuTicks reaped, long startTicks) {

  /** Positions behind the name, as proc(5) counts them less three. */
  private static final int PARENT = 1;

  private static final int USER = 11;
  private static final int START = 19;

  /** Reads a file; null where it is gone, or no such line. */
  static @Nullable ProcessStat read(Path file) {
    String text = KernelTree.text(file);
    return text == null ? null : parse(text);
  }

  /** A name may have blanks and parentheses: what counts is behind the last one. */
  static @Nullable ProcessStat parse(String line) {
    int open = line.indexOf('(');
    int close = line.lastIndexOf(')');
    if (open < 1 || close < open) {
      return null;
    }
    String[] words = line.substring(close + 1).strip().split(" ", START + 2);
    if (words.length <= START) {
      return null;
    }
    try {
      return new ProcessStat(
          Long.parseLong(line.substring(0, open).strip()),
          line.substring(open + 1, close),
          Long.parseLong(words[PARENT]),
          new CpuTicks(Long.parseLong(words[USER]), Long.parseLong(words[USER + 1])),
          new CpuTicks(Long.parseLong(words[USER + 2]), Long.parseLong(words[USER + 3])),
          Long.parseLong(words[START]));
    } catch (NumberFormatException e) {
      return null;
    }
  }

  /** Everything that would be lost, or go to its parent, if it ended now. */
  CpuTicks all() {
    return own.plus(reaped);
  }

  /** Whether both are the same process: numbers are used again. */
  boolean isSame(ProcessStat other) {
    return id == other.id && startTicks == other.startTicks;
  }
}
