package io.forebay.e2e.imported;

import java.nio.file.Path;
import java.util.List;

/**
 * A real file that was made runnable.
 *
 * @param file what both the program and the import read
 * @param directory what relative names in it begin at
 * @param check a command that says whether the program accepts the file; empty where only a start
 *     says so
 * @param run the command that runs the program in the foreground
 */
record Site(Path file, Path directory, List<String> check, List<String> run) {}
