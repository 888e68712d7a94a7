package yarnbox.twin;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.UsersManager;
import org.apache.hadoop.yarn.util.resource.Resources;

/** The users of a leaf queue, none of whom goes with containers. In removeUser they go before the sets of names are told. */
final class KeptUsers extends ConcurrentHashMap<String, UsersManager.User> {
  private static final long serialVersionUID = 1L;

  /** Who is to stay in the sets, too. */
  private transient String kept;

  static void install(UsersManager manager) {
    try {
      Object present = Cluster.field(UsersManager.class, "users").get(manager);
      if (present instanceof KeptUsers) {
        return;
      }
      KeptUsers users = new KeptUsers();
      ((Map<?, ?>) present).forEach((name, user) -> users.put((String) name, (UsersManager.User) user));
      Cluster.field(UsersManager.class, "users").set(manager, users);
      keep(manager, "activeUsersSet", users, false);
      keep(manager, "nonActiveUsersSet", users, true);
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }

  private static void keep(UsersManager manager, String name, KeptUsers users, boolean isLast)
      throws ReflectiveOperationException {
    Set<?> names = (Set<?>) Cluster.field(UsersManager.class, name).get(manager);
    Cluster.field(UsersManager.class, name).set(manager, users.new Names(names, isLast));
  }

  @Override
  public UsersManager.User remove(Object name) {
    UsersManager.User user = get(name);
    kept = null;
    if (user != null && !Resources.equals(user.getResourceUsage().getAllUsed(), Resource.newInstance(0, 0))) {
      kept = (String) name;
      return user;
    }
    return super.remove(name);
  }

  /** Names of users who ask, or do not ask; of the two sets removeUser tells the latter last. */
  private final class Names extends HashSet<String> {
    private static final long serialVersionUID = 1L;
    private final boolean isLast;

    Names(Set<?> names, boolean isLast) {
      this.isLast = isLast;
      names.forEach(name -> add((String) name));
    }

    @Override
    public boolean remove(Object name) {
      if (!name.equals(kept)) {
        return super.remove(name);
      }
      kept = isLast ? null : kept;
      return false;
    }
  }
}
