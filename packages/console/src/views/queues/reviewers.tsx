import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { people, traces } from '../../api/clients.ts';
import { mayDo } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField } from '../../ui/fields.tsx';
import { say } from '../../ui/toasts.tsx';
import type { QueueWithRubric } from './queue-queries.ts';

interface Person {
  readonly id: string;
  readonly name: string;
}

interface Page {
  readonly items: readonly (Person & {
    readonly deployment_id?: string | null;
    readonly listener_id?: string | null;
  })[];
  readonly next_cursor: string | null;
}

async function allOf(read: (query: { page_size: number; cursor?: string }) => Promise<Page>) {
  const found: Page['items'][number][] = [];
  for (let cursor: string | undefined; ;) {
    const page = await read({ page_size: 100, ...(cursor !== undefined && { cursor }) });
    found.push(...page.items);
    if (page.next_cursor === null) return found;
    cursor = page.next_cursor;
  }
}

/** The people and keys of the workspace; keys of deployments and listeners review nothing. */
async function listPeople(signal: AbortSignal): Promise<Person[]> {
  const [users, keys] = await Promise.all([
    allOf((query) => people.listUsers({ query, signal })),
    allOf((query) => people.listApiKeys({ query, signal })),
  ]);
  return [
    ...users.map(({ id, name }) => ({ id, name })),
    ...keys
      .filter((key) => (key.deployment_id ?? key.listener_id ?? null) === null)
      .map(({ id, name }) => ({ id, name: `${name} (key)` })),
  ];
}

/** Who reviews: anybody, or those who are assigned. */
export function Reviewers({ queue }: { readonly queue: QueueWithRubric }) {
  const { id: queue_id, assigned_reviewers, reviewer_access_mode } = queue;
  const client = useQueryClient();
  // The tick stands at once; the server is told in the background.
  const [isAssigned, setAssigned] = useState(reviewer_access_mode === 'assigned');
  useEffect(() => setAssigned(reviewer_access_mode === 'assigned'), [reviewer_access_mode]);
  const act = (work: Promise<unknown>, text: string) =>
    void work
      .then(() => client.invalidateQueries({ queryKey: ['queues'] }))
      .then(
        () => say({ text }),
        (error: Error) => {
          say({ kind: 'error', text: error.message });
          setAssigned(reviewer_access_mode === 'assigned');
        },
      );
  return (
    <div className="flex flex-col gap-4">
      <CheckField
        label="Only those who are assigned review, and each must review every run"
        checked={isAssigned}
        onChange={({ target }) => {
          setAssigned(target.checked);
          act(
            traces.patchAnnotationQueue({
              params: { queue_id },
              body: { reviewer_access_mode: target.checked ? 'assigned' : 'any' },
            }),
            'Changed who reviews.',
          );
        }}
      />
      {assigned_reviewers.length === 0 && <p className="text-quiet">Nobody is assigned.</p>}
      <ul className="flex flex-col gap-1">
        {assigned_reviewers.map(({ id, name, email }) => (
          <li key={id} className="flex items-center gap-2">
            <span className="min-w-0 flex-1 truncate">{name ?? email ?? id}</span>
            <Button
              small
              needs="feedback:admin"
              aria-label={`Take ${name ?? id} from the queue`}
              onClick={() =>
                act(
                  traces.removeQueueReviewer({ params: { queue_id, identity_id: id } }),
                  'Took the reviewer away.',
                )
              }
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
      {mayDo('keys:admin') && <Assign queue={queue} act={act} />}
    </div>
  );
}

interface AssignProps {
  readonly queue: QueueWithRubric;
  readonly act: (work: Promise<unknown>, text: string) => void;
}

/** Chooses a reviewer among those of the workspace. */
function Assign({ queue: { id: queue_id, assigned_reviewers }, act }: AssignProps) {
  const [chosen, setChosen] = useState('');
  const all = useQuery({ queryKey: ['people'], queryFn: ({ signal }) => listPeople(signal) });
  const others = (all.data ?? []).filter(({ id }) => assigned_reviewers.every((one) => one.id !== id));
  const assign = () => {
    const body = { identity_id: chosen };
    act(traces.addQueueReviewer({ params: { queue_id }, body }), 'Assigned the reviewer.');
    setChosen('');
  };
  return (
    <div className="flex items-end gap-2">
      <div className="flex-1">
        <SelectField
          label="Reviewer"
          value={chosen}
          onChange={({ target }) => setChosen(target.value)}
          options={[['', 'Choose somebody'], ...others.map(({ id, name }) => [id, name] as const)]}
        />
      </div>
      <Button
        needs="feedback:admin"
        because={chosen === '' ? 'Choose somebody first' : undefined}
        onClick={assign}
      >
        Assign
      </Button>
    </div>
  );
}
