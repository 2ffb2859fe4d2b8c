import type { AssignedRevision } from '@roadstead/contracts/control-plane';

/** The path of a revision's `langgraph.json`, below the project's root. */
export function configPathOf({ langgraph_config_path }: AssignedRevision['config']): string {
  return (langgraph_config_path ?? 'langgraph.json').replace(/^(\.\/)+/, '');
}
