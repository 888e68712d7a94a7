package yarnbox.twin;

import java.util.Collection;
import java.util.Map;

/** Writes plain values as JSON. */
final class Json {
  private Json() {}

  static void write(StringBuilder out, Object value) {
    if (value == null || value instanceof Boolean || value instanceof Integer || value instanceof Long) {
      out.append(value);
    } else if (value instanceof Float || value instanceof Double) {
      double number = ((Number) value).doubleValue();
      out.append(Double.isFinite(number) ? Double.toString(number) : "\"" + number + "\"");
    } else if (value instanceof Map) {
      writeMap(out, (Map<?, ?>) value);
    } else if (value instanceof Collection) {
      char before = '[';
      for (Object each : (Collection<?>) value) {
        out.append(before);
        write(out, each);
        before = ',';
      }
      out.append(before == '[' ? "[]" : "]");
    } else {
      writeText(out, value.toString());
    }
  }

  private static void writeMap(StringBuilder out, Map<?, ?> map) {
    char before = '{';
    for (Map.Entry<?, ?> each : map.entrySet()) {
      out.append(before);
      writeText(out, each.getKey().toString());
      out.append(':');
      write(out, each.getValue());
      before = ',';
    }
    out.append(before == '{' ? "{}" : "}");
  }

  private static void writeText(StringBuilder out, String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ') {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }
}
