package io.forebay.lab.run;

import io.forebay.lab.target.LabCertificates;
import io.forebay.lab.target.TargetSpec;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Makes a certificate when the first bed wants one, and keeps it for all others of a run. */
final class SharedCertificates implements Instruments.Certificates {
  private final Path directory;
  private final InetAddress address;
  private @Nullable Path own;
  private TargetSpec.@Nullable Tls made;

  /**
   * None yet.
   *
   * @param directory below which they have a directory of their own
   * @param address of this host that clients connect to
   */
  SharedCertificates(Path directory, InetAddress address) {
    this.directory = directory;
    this.address = address;
  }

  @Override
  public TargetSpec.Tls get() throws IOException, InterruptedException {
    TargetSpec.Tls tls = made;
    if (tls == null) {
      Path place = Files.createTempDirectory(directory, "forebay-lab-tls-");
      own = place;
      tls = LabCertificates.create(place, address);
      made = tls;
    }
    return tls;
  }

  @Override
  public void close() throws IOException {
    if (own != null) {
      Directories.delete(own);
    }
  }
}
