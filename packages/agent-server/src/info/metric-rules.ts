/** Metrics in the text format of Prometheus, and as JSON. Pure. */

export interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly samples: readonly Sample[];
}

export interface Sample {
  /** A suffix of the metric's name, such as `_bucket` of a histogram. */
  readonly suffix?: string;
  readonly labels: Labels;
  readonly value: number;
}

export type Labels = Readonly<Record<string, string>>;

export function prometheusText(metrics: readonly Metric[]): string {
  const lines = metrics.flatMap(({ name, type, help, samples }) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ suffix = '', labels, value }) => `${name}${suffix}${written(labels)} ${value}`),
  ]);
  return `${lines.join('\n')}\n`;
}

/** Metrics as JSON, by their names. */
export function metricsAsJson(metrics: readonly Metric[]): Record<string, Omit<Metric, 'name'>> {
  return Object.fromEntries(metrics.map(({ name, ...metric }) => [name, metric]));
}

function written(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escaped = (value: string) =>
  value
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`);
