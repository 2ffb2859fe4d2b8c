/** The signals that OpenTelemetry exports, with their addresses and the members of their requests. */
export const signals = {
  traces: { path: '/v1/traces', member: 'resourceSpans', message: 'ExportTraceServiceRequest' },
  logs: { path: '/v1/logs', member: 'resourceLogs', message: 'ExportLogsServiceRequest' },
  metrics: { path: '/v1/metrics', member: 'resourceMetrics', message: 'ExportMetricsServiceRequest' },
} as const;
export type Signal = keyof typeof signals;
