package io.forebay.storage.memory;

import io.forebay.storage.layout.TierHeader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * From which NUMA node the kernel takes the pages of each part of the first tier. It prefers that
 * node ({@code MPOL_PREFERRED}): where the node has no page left, another one gives it, since a
 * slower page is better than a process that is ended for want of memory.
 *
 * <p>It applies to pages that are allocated from then on. Of a file on a tmpfs the kernel keeps it
 * with the file, so that it also applies to pages that are written or given back and allocated
 * again. Pages that are there stay where they are.
 *
 * @param parts of the tier's memory, from its beginning; empty: nothing is bound
 */
public record NodeBinding(List<Part> parts) {
  public static final NodeBinding NONE = new NodeBinding(List.of());

  /** Where pages come from is left to the kernel. */
  public static final int ANY_NODE = -1;

  private static final int MPOL_PREFERRED = 1;

  /** Pages that only this process maps are moved. */
  private static final int MPOL_MF_MOVE = 2;

  /** The kernel has no more nodes than this. */
  private static final int MAX_NODE = 1023;

  /** The number of mbind, for which the C library has no function, by architecture. */
  private static final Map<String, Long> MBIND = Map.of("amd64", 237L, "aarch64", 235L);

  /** A page of this size has one node. */
  private static final long HUGE_PAGE = 2L << 20;

  private static final FunctionDescriptor SYSCALL =
      FunctionDescriptor.of(
          ValueLayout.JAVA_LONG,
          ValueLayout.JAVA_LONG,
          ValueLayout.ADDRESS,
          ValueLayout.JAVA_LONG,
          ValueLayout.JAVA_LONG,
          ValueLayout.ADDRESS,
          ValueLayout.JAVA_LONG,
          ValueLayout.JAVA_LONG);

  /**
   * A part of the memory.
   *
   * @param from a multiple of 4096
   * @param end behind its last byte
   * @param node or {@link #ANY_NODE}
   */
  public record Part(long from, long end, int node) {}

  public NodeBinding {
    parts = List.copyOf(parts);
  }

  /**
   * Of regions that lie one behind the other.
   *
   * @param ends of each part, the number of the region behind its last one
   * @param nodes of each part
   */
  public static NodeBinding ofRegions(int regionBytes, List<Integer> ends, List<Integer> nodes) {
    if (nodes.stream().allMatch(node -> node == ANY_NODE)) {
      return NONE;
    }
    // Between two parts that begin within a huge page there would be none.
    long unit = regionBytes >= HUGE_PAGE ? HUGE_PAGE : TierHeader.LENGTH;
    Part[] parts = new Part[ends.size()];
    long from = 0;
    for (int n = 0; n < parts.length; n++) {
      long end = TierHeader.LENGTH + (long) ends.get(n) * regionBytes;
      end = n == parts.length - 1 ? end : end / unit * unit;
      parts[n] = new Part(from, end, nodes.get(n));
      from = end;
    }
    return new NodeBinding(List.of(parts));
  }

  public boolean isEmpty() {
    return parts.isEmpty();
  }

  /** Binds the pages that a file of this length is going to have. */
  void bind(FileChannel file, long lengthBytes) throws IOException {
    if (!isEmpty()) {
      try (Arena arena = Arena.ofConfined()) {
        String ignored = bind(file.map(FileChannel.MapMode.READ_WRITE, 0, lengthBytes, arena));
      }
    }
  }

  /** Binds mapped memory; the result is a part of a line for the log. */
  String bind(MemorySegment memory) {
    return bind(memory, 0);
  }

  /** The same of memory that was touched already: the kernel moves its pages. */
  String bindAndMove(MemorySegment memory) {
    return bind(memory, MPOL_MF_MOVE);
  }

  private String bind(MemorySegment memory, int flags) {
    for (Part part : parts) {
      if (part.node() != ANY_NODE) {
        String failure =
            failure(memory.asSlice(part.from(), part.end() - part.from()), part.node(), flags);
        if (failure != null) {
          return "not bound to nodes: " + failure;
        }
      }
    }
    return isEmpty()
        ? "not bound to nodes"
        : "bound to nodes " + parts.stream().map(Part::node).toList();
  }

  private static @Nullable String failure(MemorySegment part, int node, int flags) {
    Long number = MBIND.get(System.getProperty("os.arch"));
    if (number == null || node > MAX_NODE) {
      return number == null ? "not on this architecture" : "there is no node " + node;
    }
    long result;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mask = arena.allocate(ValueLayout.JAVA_LONG, MAX_NODE / Long.SIZE + 1);
      mask.setAtIndex(ValueLayout.JAVA_LONG, node / Long.SIZE, 1L << node % Long.SIZE);
      // The kernel takes one bit less than it is told that there are.
      result =
          CLibrary.result(
              "syscall",
              SYSCALL,
              number,
              part,
              part.byteSize(),
              (long) MPOL_PREFERRED,
              mask,
              MAX_NODE + 2L,
              (long) flags);
    }
    return result < 0 ? "mbind failed with error " + -result : null;
  }
}
