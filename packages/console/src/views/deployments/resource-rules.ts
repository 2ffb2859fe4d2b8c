/** Amounts of a resource spec as a form has them, and the figures of an agent server. Pure. */

export const amounts = [
  { name: 'min_scale', label: 'Servers at least', unit: '' },
  { name: 'max_scale', label: 'Servers at most', unit: '' },
  { name: 'cpu', label: 'CPU', unit: 'cores that are kept free' },
  { name: 'cpu_limit', label: 'CPU at most', unit: 'cores' },
  { name: 'memory_mb', label: 'Memory', unit: 'MB that are kept free' },
  { name: 'memory_limit_mb', label: 'Memory at most', unit: 'MB' },
  { name: 'queue_min_scale', label: 'Hosts at least', unit: '' },
  { name: 'queue_max_scale', label: 'Hosts at most', unit: '' },
  { name: 'db_max_connections', label: 'Connections to its database at most', unit: '0 for no limit' },
] as const;

type Spec = Readonly<Record<string, unknown>> | null;

export const amountsOf = (spec: Spec): Readonly<Record<string, string>> =>
  Object.fromEntries(
    amounts.map(({ name }) => {
      const value = spec?.[name];
      return [name, typeof value === 'number' ? String(value) : ''];
    }),
  );

/** The whole spec with what was changed. What is no number is sent as it is: the refusal names it. */
export function specWith(
  spec: Spec,
  edited: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  const changed = Object.entries(edited).map(([name, text]) => {
    const value = Number(text);
    return [name, text.trim() === '' ? null : Number.isNaN(value) ? text : value] as const;
  });
  return { ...spec, ...Object.fromEntries(changed) };
}

const figures = [
  ['lg_api_graph_hosts', 'Graph hosts'],
  ['lg_api_num_running_runs', 'Runs on them'],
  ['lg_api_workers_max', 'Runs at once at most'],
  ['lg_api_num_pending_runs', 'Runs that wait'],
  ['lg_api_pg_pool_size', 'Connections to its database'],
  ['lg_api_pg_pool_max', 'Connections at most'],
] as const;

export interface Figure {
  readonly label: string;
  readonly value: string;
}

interface Metric {
  readonly samples?: readonly { readonly value?: unknown }[];
}

/** Those that people ask about; what is missing is left out. */
export function figuresOf(metrics: unknown): Figure[] {
  const known = (typeof metrics === 'object' && metrics !== null ? metrics : {}) as Readonly<
    Record<string, Metric>
  >;
  return figures.flatMap(([name, label]) => {
    const value = known[name]?.samples?.[0]?.value;
    return typeof value === 'number' ? [{ label, value: String(value) }] : [];
  });
}
