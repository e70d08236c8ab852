package io.forebay.benchmarks.micro;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How all benchmarks of this package run unless the command line says otherwise: short, for a first
 * look, in a JVM with the options of the server's. What is published is run longer: {@code -f 3 -wi
 * 5 -w 2 -i 5 -r 2}.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 1,
    jvmArgsPrepend = {
      // A forked JVM is started by class path, where the manifest's Add-Opens do not count.
      "--enable-native-access=ALL-UNNAMED",
      "--sun-misc-unsafe-memory-access=allow",
      "--add-opens=java.base/java.lang=ALL-UNNAMED",
      "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
      "--add-opens=java.base/java.io=ALL-UNNAMED",
      "--add-opens=java.base/java.util=ALL-UNNAMED",
      "--add-opens=java.base/java.nio=ALL-UNNAMED",
      "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
      "--add-opens=jdk.compiler/com.sun.tools.javac=ALL-UNNAMED",
      "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
      "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
      "--add-exports=jdk.unsupported/sun.misc=ALL-UNNAMED",
      "--add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED",
      // As in the jar: where it follows a buffer it allocates.
      "-Dio.netty.leakDetection.level=disabled",
      // Threads like those of loops: buffers are used again there, and not on others.
      "-Djmh.executor=CUSTOM",
      "-Djmh.executor.class=io.forebay.benchmarks.micro.LoopLikeThreads",
      "-XX:+UseSerialGC",
      "-Xms512m",
      "-Xmx512m"
    })
public abstract class Bench {

  Bench() {}
}
