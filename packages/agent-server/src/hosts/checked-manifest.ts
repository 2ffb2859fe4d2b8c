import { type Description, Manifest } from '@roadstead/contracts/host';
import { Problem } from '@roadstead/kit';

/** User code writes the words for an agent card, so that they may be anything. */
export function checkedManifest(manifest: Description): Manifest {
  const { data, error } = Manifest.safeParse(manifest);
  if (data !== undefined) return data;
  const [issue] = error.issues;
  const [, at, , ...field] = issue?.path ?? [];
  const graph = manifest.graphs[Number(at)]?.graph_id ?? '';
  throw new Problem('invalid', `Graph "${graph}": a2a.${field.join('.')}: ${issue?.message ?? 'is wrong'}.`);
}
