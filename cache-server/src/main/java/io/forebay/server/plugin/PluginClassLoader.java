package io.forebay.server.plugin;

import io.forebay.plugin.Plugin;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The classes and resources of one jar. It sees the package of the API and the JDK, no more. */
final class PluginClassLoader extends ClassLoader {
  static {
    registerAsParallelCapable();
  }

  private final String jar;
  private final Map<String, byte[]> entries;

  PluginClassLoader(String jar, Map<String, byte[]> entries) {
    super(jar, new ApiClassLoader());
    this.jar = jar;
    this.entries = entries;
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    byte[] bytes = entries.get(name.replace('.', '/') + ".class");
    if (bytes == null) {
      throw new ClassNotFoundException(name);
    }
    return defineClass(name, bytes, 0, bytes.length);
  }

  @Override
  protected @Nullable URL findResource(String name) {
    byte[] content = entries.get(name);
    if (content == null) {
      return null;
    }
    try {
      return URL.of(
          new URI("plugin", null, "/" + jar + "/" + name, null), new MemoryHandler(content));
    } catch (MalformedURLException | URISyntaxException e) {
      return null;
    }
  }

  @Override
  protected Enumeration<URL> findResources(String name) {
    URL found = findResource(name);
    return found == null
        ? Collections.emptyEnumeration()
        : Collections.enumeration(Collections.singleton(found));
  }

  /** Of the classes of the node, only the API. */
  private static final class ApiClassLoader extends ClassLoader {
    private static final String API = Plugin.class.getPackageName() + ".";

    ApiClassLoader() {
      super("plugin API", getPlatformClassLoader());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      if (name.startsWith(API) && name.indexOf('.', API.length()) < 0) {
        return Class.forName(name, false, Plugin.class.getClassLoader());
      }
      throw new ClassNotFoundException(name);
    }
  }

  private static final class MemoryHandler extends URLStreamHandler {
    private final byte[] content;

    MemoryHandler(byte[] content) {
      this.content = content;
    }

    @Override
    protected URLConnection openConnection(URL url) {
      return new URLConnection(url) {
        @Override
        public void connect() {}

        @Override
        public InputStream getInputStream() throws IOException {
          return new ByteArrayInputStream(content);
        }
      };
    }
  }
}
