import type { experimentGroups } from '@roadstead/contracts/observability';
import type { OutputValue } from '@roadstead/contracts';
import type { Handlers } from '@roadstead/http';
import { readDataset } from '../dataset-records/dataset-store.ts';
import type { Digest } from '../digest/digest-loop.ts';
import { jsonAnswer, type Members, objectText } from '../reading/json-answer.ts';
import { inLimitedTime } from '../queries/run-lookup-store.ts';
import type { RunReader } from '../reading/run-reader-work.ts';
import { readSessions } from '../session-records/session-store.ts';
import { comparedMembers, shownOfRuns } from './experiment-answer-rules.ts';
import { experimentConditions } from './experiment-filter-store.ts';
import { groupExperiments } from './experiment-group-work.ts';
import { comparedOf, examplesWithRuns, versionOf } from './experiment-reader-work.ts';
import { readExperiments } from './experiment-store.ts';
import { groupAnswer, readGroups } from './run-group-work.ts';
import type { DatasetKey } from '../values/keys.ts';

type GroupHandlers = Handlers<typeof experimentGroups>;
type GroupQuery = OutputValue<NonNullable<typeof experimentGroups.groupExperimentRuns.body>>;

interface GroupsOf {
  readonly reader: RunReader;
  readonly digest: Pick<Digest, 'caughtUp'>;
}

export function experimentGroupHandlers({ reader, digest }: GroupsOf): GroupHandlers {
  const { db } = reader;
  return {
    groupExperiments: async ({ params, body, workspace_id }) => {
      await readDataset(db, { workspace_id, id: params.dataset_id });
      await digest.caughtUp(workspace_id);
      return groupExperiments(db, { workspace_id, dataset_id: params.dataset_id, body });
    },
    groupExperimentRuns: async ({ params, body, workspace_id }) => {
      await readDataset(db, { workspace_id, id: params.dataset_id });
      await digest.caughtUp(workspace_id);
      const groups = await groupsOf(reader, { workspace_id, dataset_id: params.dataset_id, body });
      return jsonAnswer(objectText([['groups', { items: groups }]]));
    },
  };
}

const GROUPS = 10;
const EXAMPLES_OF_GROUP = 5;

async function groupsOf(
  reader: RunReader,
  { workspace_id, dataset_id, body }: DatasetKey & { readonly body: GroupQuery },
): Promise<Members[]> {
  const { db, addresses } = reader;
  const ids = [...new Set(body.session_ids.map((id) => id.toLowerCase()))];
  const experiments = await readExperiments(db, { workspace_id, dataset_id, ids });
  const scope = { workspace_id, experiment_ids: ids, conditions: experimentConditions(body.filters, ids) };
  const grouping = { by: body.group_by, key: body.metadata_key };
  const page = { offset: body.offset ?? 0, limit: body.limit ?? GROUPS };
  const per_group = body.per_group_limit ?? EXAMPLES_OF_GROUP;
  const groups = await inLimitedTime(db, (tx) => readGroups(tx, scope, { ...grouping, ...page, per_group }));
  const sessions = new Map((await readSessions(db, { workspace_id, ids })).map((row) => [row.id, row]));
  const example_ids = groups.flatMap(({ shared }) => shared?.example_ids ?? []);
  const at = versionOf(experiments);
  const examples = await examplesWithRuns(db, {
    scope,
    at,
    dataset_id,
    example_ids: [...new Set(example_ids)],
  });
  const selection = shownOfRuns(body);
  const compared = await comparedOf(reader, examples, { wanted: selection });
  return groups.map((group): Members => {
    const grouped = new Set(group.sums.run_ids);
    const shared = new Set(group.shared?.example_ids);
    const items = compared
      .filter(({ example }) => shared.has(example.row.example_id))
      .map(({ example, runs }) => ({
        example,
        runs: runs.filter(({ record }) => grouped.has(record.row.run_id)),
      }))
      .map((one) => comparedMembers(one, { selection, addresses }));
    const answer = Object.entries(groupAnswer(group, { grouping, sessions }));
    return [...answer.map(([name, value]) => [name, { value }] as const), ['examples', { items }]];
  });
}
