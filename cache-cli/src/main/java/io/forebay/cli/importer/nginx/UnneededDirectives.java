package io.forebay.cli.importer.nginx;

import io.forebay.cli.importer.model.Directive;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Statements for which nothing has to be configured, and why. */
final class UnneededDirectives {
  private static final String PROCESS = "the process is started otherwise: see OPERATIONS.md";
  private static final String TUNING = "the node chooses this itself";
  private static final String STREAMS = "bodies are streamed with back-pressure in both directions";
  private static final String TLS = "TLS follows tls.policy";
  private static final String FILES = "only for what nginx serves itself";
  private static final String LOG = "the node logs to standard error";
  private static final String CACHE = "the cache does so always";
  private static final String COMPRESSION = "the node chooses this itself: see compress";

  private static final Map<String, String> REASONS = new HashMap<>();

  static {
    put(PROCESS, "user", "pid", "daemon", "master_process", "env", "lock_file", "load_module");
    put(PROCESS, "working_directory", "worker_shutdown_timeout", "timer_resolution", "pcre_jit");
    put(PROCESS, "worker_priority", "worker_rlimit_nofile", "worker_rlimit_core", "thread_pool");
    put(
        TUNING,
        "events",
        "worker_connections",
        "use",
        "multi_accept",
        "accept_mutex",
        "debug_points");
    put(TUNING, "sendfile", "sendfile_max_chunk", "tcp_nopush", "tcp_nodelay", "aio", "directio");
    put(TUNING, "reset_timedout_connection", "keepalive_requests", "output_buffers", "read_ahead");
    put(TUNING, "client_body_buffer_size", "client_header_buffer_size", "connection_pool_size");
    put(TUNING, "request_pool_size", "postpone_output", "types_hash_max_size", "keepalive");
    put(
        TUNING,
        "types_hash_bucket_size",
        "server_names_hash_max_size",
        "zone",
        "variables_hash_max_size");
    put(TUNING, "server_names_hash_bucket_size", "variables_hash_bucket_size", "map_hash_max_size");
    put(TUNING, "map_hash_bucket_size", "open_file_cache", "open_file_cache_valid", "ip_hash_size");
    put(TUNING, "open_file_cache_min_uses", "open_file_cache_errors", "lingering_close");
    put(TUNING, "lingering_time", "lingering_timeout", "proxy_headers_hash_max_size");
    put(TUNING, "proxy_headers_hash_bucket_size", "keepalive_disable", "msie_padding");
    put(TUNING, "proxy_socket_keepalive", "resolver", "resolver_timeout", "client_body_temp_path");
    put(
        STREAMS,
        "proxy_buffering",
        "proxy_buffers",
        "proxy_buffer_size",
        "proxy_busy_buffers_size");
    put(STREAMS, "proxy_request_buffering", "proxy_max_temp_file_size", "proxy_temp_path");
    put(STREAMS, "proxy_temp_file_write_size", "proxy_http_version", "client_body_in_file_only");
    put(
        TLS,
        "ssl_ciphers",
        "ssl_prefer_server_ciphers",
        "ssl_session_cache",
        "ssl_session_timeout");
    put(TLS, "ssl_dhparam", "ssl_ecdh_curve", "ssl_buffer_size", "ssl_session_tickets", "http2");
    put(
        TLS,
        "ssl_stapling_verify",
        "ssl_trusted_certificate",
        "ssl_conf_command",
        "ssl_early_data");
    put(TLS, "http2_max_concurrent_streams", "http2_recv_buffer_size", "http2_push_preload");
    put(FILES, "types", "default_type", "charset", "charset_types", "etag", "log_not_found");
    put(FILES, "if_modified_since", "source_charset");
    put(LOG, "error_log", "log_subrequest", "open_log_file_cache");
    put(CACHE, "proxy_cache_lock", "proxy_cache_revalidate", "proxy_cache_background_update");
    put(FILES, "fastcgi_temp_path", "uwsgi_temp_path", "scgi_temp_path");
    for (String coding : List.of("gzip", "brotli", "zstd")) {
      put(COMPRESSION, coding + "_comp_level", coding + "_buffers");
      put(COMPRESSION, coding + "_vary", coding + "_proxied");
      put("no response gets here that is compressed", coding, coding + "_types");
      put("no response gets here that is compressed", coding + "_min_length");
      put(FILES, coding + "_static");
    }
    put(COMPRESSION, "gzip_http_version", "gzip_disable", "brotli_window");
    put("the node does not name its version", "server_tokens");
    put("logs are always JSON", "log_format");
  }

  private UnneededDirectives() {}

  private static void put(String reason, String... names) {
    for (String name : names) {
      REASONS.put(name, reason);
    }
  }

  /** Why a statement is not needed, or null where it may be. */
  static @Nullable String reason(Directive of) {
    return REASONS.get(of.name());
  }
}
