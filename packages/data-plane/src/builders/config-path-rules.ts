import type { AssignedRevision } from '@roadstead/contracts/control-plane';

/** Where the `langgraph.json` of a revision lies, below the project's root. */
export function configPathOf({ langgraph_config_path }: AssignedRevision['config']): string {
  return (langgraph_config_path ?? 'langgraph.json').replace(/^(\.\/)+/, '');
}
