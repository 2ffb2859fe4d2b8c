import type { Description } from '@roadstead/contracts/host';
import type { Language } from '@roadstead/contracts/langgraph-json';

/** Joins the descriptions of the hosts of each language into one, with the graphs in the order of `langgraph.json`. */
export function joinDescriptions(
  all: ReadonlyMap<Language, Description>,
  graph_ids: readonly string[],
): Description {
  const each = [...all.values()];
  const auth = each.find((one) => one.auth !== undefined)?.auth;
  const app = each.find((one) => one.app !== undefined)?.app;
  const python_version = all.get('python')?.langgraph_version;
  const place = ({ graph_id }: { readonly graph_id: string }) => graph_ids.indexOf(graph_id);
  return {
    graphs: each.flatMap(({ graphs }) => graphs).toSorted((one, other) => place(one) - place(other)),
    ...(auth === undefined ? {} : { auth }),
    ...(app === undefined ? {} : { app }),
    langgraph_version: all.get('javascript')?.langgraph_version ?? null,
    ...(typeof python_version === 'string' ? { langgraph_py_version: python_version } : {}),
    ...(each.some(({ stores_deltas }) => stores_deltas === true) ? { stores_deltas: true } : {}),
  };
}
