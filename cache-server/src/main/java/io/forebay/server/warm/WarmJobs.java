package io.forebay.server.warm;

import io.forebay.server.http.WarmUpAgent;
import io.forebay.server.json.AdminError;
import io.forebay.server.json.Json;
import io.forebay.server.node.NodeControl;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The warm-up jobs of this node: a few at a time, the latest ones remembered. They live in memory
 * and end with the process; to resume, keep the report.
 */
public final class WarmJobs implements AutoCloseable {
  static final int MAX_RUNNING = 4;
  private static final int MAX_KEPT = 16;

  private final NodeControl node;
  private final String userAgent;
  private final Map<Long, WarmJob> jobs = new LinkedHashMap<>();
  private long lastId;

  public WarmJobs(NodeControl node, String version) {
    this.node = node;
    this.userAgent = WarmUpAgent.of(version);
  }

  /** Starts a job and answers its number. */
  public synchronized long start(WarmRequest order) throws AdminError {
    if (node.listening().isEmpty()) {
      throw new AdminError(503, "the node is not listening yet");
    }
    long running = jobs.values().stream().filter(WarmJob::isRunning).count();
    if (running >= MAX_RUNNING) {
      throw new AdminError(
          429, running + " warm-up jobs are running, the maximum is " + MAX_RUNNING);
    }
    Iterator<WarmJob> oldest = jobs.values().iterator();
    while (jobs.size() >= MAX_KEPT && oldest.hasNext()) {
      if (!oldest.next().isRunning()) {
        oldest.remove();
      }
    }
    WarmJob job = new WarmJob(++lastId, order, node, userAgent);
    jobs.put(job.id(), job);
    job.start();
    return job.id();
  }

  public synchronized ObjectNode list() {
    ObjectNode list = Json.object();
    ArrayNode all = list.putArray("jobs");
    jobs.values().forEach(job -> all.add(job.summary()));
    return list;
  }

  public synchronized WarmJob job(long id) throws AdminError {
    WarmJob job = jobs.get(id);
    if (job == null) {
      throw new AdminError(404, "there is no warm-up job " + id);
    }
    return job;
  }

  @Override
  public void close() {
    List<WarmJob> all;
    synchronized (this) {
      all = new ArrayList<>(jobs.values());
    }
    all.forEach(WarmJob::cancel);
  }
}
