import { traces } from '../api/clients.ts';
import { queryClient } from '../api/query-client.ts';

/** The values that fields of a project's runs have, for completion. */
const MOST = 50;

type Read = (project: string, field: string) => Promise<readonly string[]>;

const groupsBy =
  (attribute: 'name' | 'tag'): Read =>
  async (project) =>
    Object.keys(
      await traces.readRunStats({
        body: { session: [project], select: ['run_count'], group_by: { attribute, max_groups: MOST } },
      }),
    );

const metadataKeys: Read = async (project) =>
  Object.keys(await traces.listSessionMetadata({ params: { session_id: project }, query: {} }));

const metadataValues: Read = async (project, field) => {
  const key = field.slice(field.indexOf('.') + 1);
  const found = await traces.listSessionMetadata({
    params: { session_id: project },
    query: { metadata_keys: [key], k: MOST },
  });
  return found[key] ?? [];
};

const readers: Readonly<Record<string, Read>> = {
  name: groupsBy('name'),
  tags: groupsBy('tag'),
  metadata_key: metadataKeys,
};

export async function valuesOf(project: string, field: string): Promise<readonly string[]> {
  const read = readers[field] ?? (field.startsWith('metadata.') ? metadataValues : undefined);
  if (read === undefined) return [];
  return queryClient
    .fetchQuery({
      queryKey: ['filter-values', project, field],
      queryFn: () => read(project, field),
      // Names that have just come are completed, too.
      staleTime: 5000,
    })
    .catch(() => []);
}
