package io.forebay.storage.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens files on file systems. */
final class FileOpener implements DiskTier.Opener {
  private static final Logger LOG = LoggerFactory.getLogger(FileOpener.class);

  private final boolean isDirect;

  FileOpener(boolean isDirect) {
    this.isDirect = isDirect;
  }

  @Override
  public BlockFile open(DeviceSettings device, Path file, long lengthBytes) throws IOException {
    BlockFile buffered = ChannelBlockFile.open(file, lengthBytes);
    if (!isDirect) {
      return buffered;
    }
    BlockFile direct;
    try {
      direct = DirectBlockFile.open(file);
    } catch (IOException | UnsupportedOperationException e) {
      LOG.warn(
          "disk {}: direct I/O is not available, using buffered I/O: {}",
          device.name(),
          e.toString());
      return buffered;
    }
    // What was written to make the file must not lie in the page cache beside what comes now.
    buffered.force();
    buffered.close();
    return direct;
  }

  @Override
  public boolean isThere(Path file) {
    return Files.exists(file);
  }
}
