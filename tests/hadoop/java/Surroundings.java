package yarnbox.twin;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.net.CachedDNSToSwitchMapping;
import org.apache.hadoop.net.NetworkTopology;
import org.apache.hadoop.security.GroupMappingServiceProvider;
import org.apache.hadoop.yarn.conf.ConfigurationProvider;

/** What a ResourceManager asks of the machine that it runs on: files, groups and racks. They are what the twin is told. */
public final class Surroundings {
  private static final Map<String, String> FILES = new HashMap<>();
  private static final Map<String, List<String>> GROUPS = new HashMap<>();
  private static final Map<String, String> RACKS = new HashMap<>();

  private Surroundings() {}

  static void clear() {
    FILES.clear();
    GROUPS.clear();
    RACKS.clear();
  }

  static void file(String name, String text) {
    FILES.put(name, text);
  }

  static void groups(String user, List<String> groups) {
    GROUPS.put(user, groups);
  }

  static void rack(String host, String rack) {
    RACKS.put(host, rack);
  }

  /** Properties as a file of them. */
  static String document(Map<String, String> properties) throws IOException {
    Configuration configuration = new Configuration(false);
    properties.forEach(configuration::set);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    configuration.writeXml(out);
    return out.toString(StandardCharsets.UTF_8);
  }

  /** The files by their names. */
  public static final class Provider extends ConfigurationProvider {
    @Override
    public InputStream getConfigurationInputStream(Configuration bootstrap, String name) throws IOException {
      if (Path.of(name).isAbsolute()) {
        return Files.newInputStream(Path.of(name));
      }
      String text = FILES.get(name);
      return text == null ? null : new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void initInternal(Configuration bootstrap) {}

    @Override
    public void closeInternal() {}
  }

  /** The groups of users. */
  public static final class Groups implements GroupMappingServiceProvider {
    @Override
    public List<String> getGroups(String user) {
      return new ArrayList<>(GROUPS.getOrDefault(user, List.of()));
    }

    @Override
    public java.util.Set<String> getGroupsSet(String user) {
      return new java.util.LinkedHashSet<>(getGroups(user));
    }

    @Override
    public void cacheGroupsRefresh() {}

    @Override
    public void cacheGroupsAdd(List<String> groups) {}
  }

  /** The racks of hosts; it extends the mapping with a cache so that nobody puts a cache in front of it. */
  public static final class Racks extends CachedDNSToSwitchMapping {
    public Racks() {
      super(null);
    }

    @Override
    public List<String> resolve(List<String> names) {
      List<String> racks = new ArrayList<>();
      for (String name : names) {
        racks.add(RACKS.getOrDefault(name, NetworkTopology.DEFAULT_RACK));
      }
      return racks;
    }

    @Override
    public String toString() {
      return "the twin's racks";
    }

    @Override
    public void reloadCachedMappings() {}

    @Override
    public void reloadCachedMappings(List<String> names) {}
  }
}
