package io.forebay.cli.doctor;

/**
 * The result of one check.
 *
 * @param check its name; stable
 * @param found the value that was found
 * @param why it matters, a sentence
 * @param fix the command or setting that mends it; empty where nothing has to be
 */
record Finding(String check, Level level, String found, String why, String fix) {}
