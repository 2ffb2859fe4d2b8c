/** Counters in the Prometheus text format; only the one origin has them. */
export interface Metrics {
  /** Counts an answer of a service. */
  readonly onAnswer: (service: string) => (operation: string, status: number, took_ms: number) => void;
  text(): string;
}

export function createMetrics(): Metrics {
  const answers = new Map<string, { count: number; seconds: number }>();
  return {
    onAnswer: (service) => (operation, status, took_ms) => {
      const labels = `service="${service}",operation="${operation}",status="${status}"`;
      const one = answers.get(labels) ?? { count: 0, seconds: 0 };
      one.count += 1;
      one.seconds += took_ms / 1000;
      answers.set(labels, one);
    },
    text: () => {
      const rows = [...answers];
      return [
        '# HELP roadstead_requests_total Answers by service, operation and status.',
        '# TYPE roadstead_requests_total counter',
        ...rows.map(([labels, { count }]) => `roadstead_requests_total{${labels}} ${count}`),
        '# HELP roadstead_request_seconds_total Time spent on answers.',
        '# TYPE roadstead_request_seconds_total counter',
        ...rows.map(
          ([labels, { seconds }]) => `roadstead_request_seconds_total{${labels}} ${seconds.toFixed(6)}`,
        ),
        '# HELP roadstead_resident_memory_bytes Memory of the platform process.',
        '# TYPE roadstead_resident_memory_bytes gauge',
        `roadstead_resident_memory_bytes ${process.memoryUsage.rss()}`,
        '',
      ].join('\n');
    },
  };
}
