package io.forebay.lab.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** What is wrong in a scenario is named by file and key, with what to write instead. */
final class ScenarioErrorsTest {
  private static final String HEAD = "name: own\ntitle: One object\n";
  private static final String OBJECTS = "objects: [{name: page, size: 10KB, count: 7}]\n";
  private static final String STEPS = "steps: [{name: only}]\n";
  private static final String STEP = "own.yaml (profile here, step only): ";

  @TestFactory
  Stream<DynamicTest> areExplained() {
    return Stream.of(
        wrong(
            "lod: 1\n" + OBJECTS + STEPS,
            STEP
                + "lod: is no key here; keys are channels, footprint, hit-ratio, load, network,"
                + " objects, objects-apart, origin, popularity, protocol, search, segments, server,"
                + " tier, time, tls"),
        wrong(
            "load: {conections: 3}\n" + OBJECTS + STEPS,
            STEP
                + "load.conections: is no key here; keys are client, clients, connections, fresh,"
                + " ramps, rate, rate-per-connection, requests-per-connection, resumed, streams,"
                + " timeout, verify"),
        wrong(
            "load: {connections: 0}\n" + OBJECTS + STEPS,
            STEP + "load.connections: is '0'; write a whole number from 1 to 10000000"),
        wrong(
            "load: {connections: [4, many]}\n" + OBJECTS + STEPS,
            STEP + "load.connections[1]: is 'many'; write a whole number from 1 to 10000000"),
        wrong(
            "load: {clients: 1000, connections: 10000000}\n" + OBJECTS + STEPS,
            "own.yaml: sizes, counts or connections are too large together; make them smaller"),
        wrong(
            "channels: 100000000\nsegments: 1000000\nobjects: [{name: page, size: 1TB}]\n" + STEPS,
            "own.yaml: sizes, counts or connections are too large together; make them smaller"),
        wrong(
            "load: {connections: []}\n" + OBJECTS + STEPS,
            STEP + "load.connections: is an empty list; write a value"),
        wrong(
            "load: [1]\n" + OBJECTS + STEPS,
            STEP + "load: must be a mapping; write its keys below it, one a line"),
        wrong(
            "load: {client: ab}\n" + OBJECTS + STEPS,
            STEP + "load.client: is 'ab'; write one of own, wrk, h2load"),
        wrong(
            "load: {rate: 5, rate-per-connection: 1}\n" + OBJECTS + STEPS,
            STEP + "load.rate: goes without rate-per-connection; keep one of them"),
        wrong(
            "time: {measured: 30}\n" + OBJECTS + STEPS,
            STEP
                + "time.measured: is '30'; write a time from 1s to 86400s, such as 500ms, 30s, 5m"),
        wrong(
            "hit-ratio: {wanted: 98.8}\n" + OBJECTS + STEPS,
            STEP + "hit-ratio.wanted: is '98.8'; write a share such as 98.8%"),
        wrong(
            "hit-ratio: {by: fresh-names}\n" + OBJECTS + STEPS,
            STEP + "hit-ratio.wanted: is missing; write a share such as 98.8%"),
        wrong(
            "hit-ratio: {wanted: 90%, by: luck}\n" + OBJECTS + STEPS,
            STEP + "hit-ratio.by: is 'luck'; write one of fresh-names, store-size, estimated"),
        wrong(
            "hit-ratio: {wanted: 90%}\nload: {fresh: 5%}\n" + OBJECTS + STEPS,
            STEP + "load.fresh: goes without hit-ratio; keep one of them"),
        wrong(
            "server: {memory: 1MB}\n" + OBJECTS + STEPS,
            STEP
                + "server.memory: is '1MB'; write a size of at least 67108864 bytes, such as"
                + " 384KB, 2MB, 1.5GiB"),
        wrong(
            "server: {cpus: first}\n" + OBJECTS + STEPS,
            STEP + "server.cpus: is 'first'; write loops, or a list in quotes such as \"0-3,8\""),
        wrong(
            "tier: disk\n" + OBJECTS + STEPS,
            STEP + "tier: is disk without one; write server: {disk: SIZE}"),
        wrong(
            "protocol: http3\n" + OBJECTS + STEPS,
            STEP + "protocol: is http3, which has TLS always; write tls: true"),
        wrong("tls: maybe\n" + OBJECTS + STEPS, STEP + "tls: is 'maybe'; write true or false"),
        wrong(
            "objects: [{name: page, size: 10KB}]\n" + STEPS,
            STEP + "objects: have no count; write footprint, channels, or a count in each row"),
        wrong(
            "objects: [{name: page}]\n" + STEPS,
            STEP + "objects[0].size: is missing; write a size such as 384KB or 2MB"),
        wrong(
            "objects: [{name: page, size: 1B, path: /x}]\n" + STEPS,
            STEP + "objects[0].path: is '/x'; write a path with {n} for the number"),
        wrong(
            "footprint: lots\nobjects: [{name: page, size: 10KB}]\n" + STEPS,
            STEP
                + "footprint: is 'lots'; write a size such as 64GB, or a multiple of memory such"
                + " as 4x"),
        wrong(
            "footprint: 1GB\nchannels: 3\nobjects: [{name: page, size: 10KB}]\n" + STEPS,
            STEP + "footprint: goes without channels; keep one of them"),
        wrong(
            "search: {by: channels}\n" + OBJECTS + STEPS,
            STEP + "search.by: is channels without any; write channels: 1"),
        wrong(
            OBJECTS + "steps: []\n",
            "own.yaml: steps: must be a list of at least one step; write - {name: …}"),
        wrong(
            OBJECTS + "steps: [{name: a}, {name: a}]\n",
            "own.yaml: steps: two are called a; rename one"),
        wrong(
            OBJECTS + "steps: [{name: A b}]\n",
            "own.yaml: steps[0].name: is 'A b'; write small letters, digits and hyphens"),
        wrong(
            OBJECTS + STEPS + "profiles: {there: {factor: 2}}\n",
            "own.yaml: profiles.there: is no key here; keys are full, here, smoke"),
        wrong(
            OBJECTS + STEPS + "profiles: {here: {factor: 0}}\n",
            "own.yaml: profiles.here.factor: is '0'; write a number from 1 to 1000000000"),
        wrong(
            OBJECTS + STEPS + "tls: true\ntls: false\n",
            "own.yaml:6:4: not valid YAML: Duplicate Object property \"tls\""));
  }

  private static DynamicTest wrong(String text, String message) {
    return DynamicTest.dynamicTest(
        message,
        () ->
            assertEquals(
                message,
                assertThrows(
                        ScenarioException.class,
                        () -> Scenarios.parse("own.yaml", HEAD + text, Profile.HERE, 2))
                    .getMessage()));
  }
}
