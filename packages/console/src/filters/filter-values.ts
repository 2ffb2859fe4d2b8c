import { traces } from '../api/clients.ts';
import { queryClient } from '../api/query-client.ts';

/** The values that fields of a project's runs have, for completion. */
const MOST = 50;
const MOST_MODELS = 20;
const MODEL_DAYS = 30;

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

/** The models that were called most in the last days. */
const models: Read = async (project) => {
  const now = Date.now();
  const { series } = await traces.querySeries({
    body: {
      start_time: new Date(now - MODEL_DAYS * 86_400_000).toISOString(),
      end_time: new Date(now).toISOString(),
      project_ids: [project],
      select: [],
      compare: false,
      group_by: { attribute: 'model', max_groups: MOST_MODELS },
    },
  });
  return series.flatMap(({ group }) => group ?? []);
};

const readers: Readonly<Record<string, Read>> = {
  name: groupsBy('name'),
  tags: groupsBy('tag'),
  model: models,
  metadata_key: metadataKeys,
};

/** None where no project is named. */
export async function valuesOf(project: string | undefined, field: string): Promise<readonly string[]> {
  const read = readers[field] ?? (field.startsWith('metadata.') ? metadataValues : undefined);
  if (read === undefined || project === undefined) return [];
  return queryClient
    .fetchQuery({
      queryKey: ['filter-values', project, field],
      queryFn: () => read(project, field),
      // Names that have just come are completed, too; models are counted over many runs.
      staleTime: field === 'model' ? 300_000 : 5000,
    })
    .catch(() => []);
}
