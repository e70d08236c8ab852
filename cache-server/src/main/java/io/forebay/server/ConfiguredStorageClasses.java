package io.forebay.server;

import io.forebay.server.config.ClusterConfig;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.ServerConfig.RouteConfig;
import io.forebay.server.config.ServerConfig.StorageClassConfig;
import io.forebay.server.fill.FillContext;
import io.forebay.storage.placement.StorageClass;
import io.forebay.storage.placement.StorageClass.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The storage classes of a configuration, as the store takes them. */
final class ConfiguredStorageClasses {
  /** Films: to a disk once they are requested again. */
  private static final String VOD = "vod";

  private ConfiguredStorageClasses() {}

  /**
   * Those that are configured, the built-in ones that routes name, and that of copies.
   *
   * @param cluster what the node was started with: it stores copies until the next start, whatever
   *     a reload reads
   */
  static List<StorageClass> of(ServerConfig config, @Nullable ClusterConfig cluster) {
    List<StorageClass> classes = new ArrayList<>();
    for (Tier builtIn : List.of(Tier.MEMORY, Tier.DISK)) {
      String name = builtIn.name().toLowerCase(Locale.ROOT);
      if (config.routes().stream().anyMatch(route -> isOf(route, name))) {
        classes.add(StorageClass.of(name, builtIn));
      }
    }
    if (cluster != null && cluster.share().listen() != null) {
      classes.add(StorageClass.of(FillContext.COPIES, Tier.MEMORY));
    }
    boolean hasOwnVod = config.storageClasses().stream().anyMatch(one -> one.name().equals(VOD));
    if (!hasOwnVod && config.routes().stream().anyMatch(route -> isOf(route, VOD))) {
      classes.add(StorageClass.of(VOD, Tier.DISK).withDisk(1, 0, StorageClass.UNLIMITED));
    }
    config.storageClasses().forEach(one -> classes.add(of(one)));
    return classes;
  }

  private static boolean isOf(RouteConfig route, String name) {
    return route.settings().storageClass().equals(name);
  }

  private static StorageClass of(StorageClassConfig config) {
    StorageClass base =
        StorageClass.of(config.name(), Tier.valueOf(config.tier().toUpperCase(Locale.ROOT)));
    Integer after = config.diskAfter();
    Long diskMax = config.diskMax();
    Long memoryMax = config.memoryMax();
    return base.withDisk(
            after == null ? base.diskAfter() : after,
            config.diskMin(),
            diskMax == null ? base.diskMaxBytes() : diskMax)
        .withMemoryMax(memoryMax == null ? base.memoryMaxBytes() : memoryMax)
        .withShares(config.quotaPercent(), config.floorPercent(), config.pinnedPercent())
        .withDiskShares(config.diskQuotaPercent(), config.diskFloorPercent());
  }
}
