/** A set of statuses is a table of what may follow what; stores move along it by compare-and-set only. */
export type Flow<S extends string> = Readonly<Record<S, readonly S[]>>;

export function mayFollow<S extends string>(flow: Flow<S>, from: S, to: S): boolean {
  return flow[from].includes(to);
}

export function isTerminal<S extends string>(flow: Flow<S>, status: S): boolean {
  return flow[status].length === 0;
}
