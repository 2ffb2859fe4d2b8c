/** Settings of a data plane for tests, without its addresses, keys and folders. */
export const testConfig = {
  platform_socket: undefined,
  request_s: 600,
  // Builds are counted in a file outside of their folders.
  isolation: 'none' as const,
  jobs_per_host: 10,
  idle_s: 900,
  start_s: 60,
  unresponsive_s: 60,
  min_hosts: 0,
  max_hosts: 2,
  host_memory_mb: 1024,
  host_cpus: undefined,
  build_memory_mb: 4096,
  build_cpus: undefined,
  agent_calls: 256,
  a2a_body_bytes: 26_214_400,
  expose_errors: false,
  log_level: 'error' as const,
  allowed_hosts: ['localhost', '127.0.0.1'],
  build_timeout_s: 60,
};
