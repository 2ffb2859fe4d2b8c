import { queryOptions, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { traces } from '../../api/clients.ts';
import { mayDo } from '../../session/session.ts';
import { Answer } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { CheckField, SelectField } from '../../ui/fields.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { useChange } from './use-change.ts';

type Retention = Awaited<ReturnType<typeof traces.readWorkspaceRetention>>[number];
type Tier = Retention['default_trace_tier'];
type Days = NonNullable<Parameters<typeof traces.setWorkspaceRetention>[0]['body']['longlived_ttl_days']>;

/** What the long tier may keep. */
const days = [30, 60, 90, 120, 150, 180, 240, 300, 365, 400] as const satisfies readonly Days[];
const tiers = [
  ['shortlived', 'Short: 14 days'],
  ['longlived', 'Long'],
] as const satisfies readonly (readonly [Tier, string])[];

const retentionQuery = queryOptions({
  queryKey: ['retention'],
  queryFn: async ({ signal }) => {
    const [found] = await traces.readWorkspaceRetention({ signal });
    if (found === undefined) throw new Error('The workspace has no retention.');
    return found;
  },
});

/** How long traces are kept. */
export function RetentionPage() {
  const retention = useQuery(retentionQuery);
  return (
    <Page title="Retention">
      <Answer of={retention}>{(found) => <RetentionForm key={found.updated_at} retention={found} />}</Answer>
    </Page>
  );
}

function RetentionForm({ retention }: { readonly retention: Retention }) {
  const [tier, setTier] = useState(retention.default_trace_tier);
  const [long, setLong] = useState(retention.longlived_ttl_days);
  const [isForAll, setForAll] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const change = useChange();
  const isAllowed = mayDo('workspaces:admin');
  const save = async () => {
    await traces.setWorkspaceRetention({
      body: {
        default_trace_tier: tier,
        apply_to_all_projects: isForAll,
        longlived_ttl_days: days.find((one) => one === long) ?? null,
      },
    });
    await change({ said: 'The retention is set.', changes: [['retention']] });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsking(true);
  };
  return (
    <div className="max-w-2xl">
      <Card title="How long traces are kept">
        <form onSubmit={submit} className="flex flex-col gap-4">
          <SelectField
            label="Traces of a project that chose nothing"
            options={tiers}
            value={tier}
            disabled={!isAllowed}
            hint="Traces with feedback, in a queue or a dataset are kept long anyway."
            onChange={({ target }) => setTier(tiers.find(([one]) => one === target.value)?.[0] ?? tier)}
          />
          <SelectField
            label="Long is"
            options={days.map((one) => [String(one), `${one} days`])}
            value={String(long)}
            disabled={!isAllowed}
            onChange={({ target }) => setLong(Number(target.value))}
          />
          <CheckField
            label="Also change projects that chose for themselves"
            hint="Experiments keep what they have."
            checked={isForAll}
            disabled={!isAllowed}
            onChange={({ target }) => setForAll(target.checked)}
          />
          <div>
            <Button type="submit" look="main" needs="workspaces:admin">
              Save
            </Button>
          </div>
        </form>
      </Card>
      {isAsking && <AskRetention onClose={() => setAsking(false)} onSave={save} />}
    </div>
  );
}

interface AskRetentionProps {
  readonly onClose: () => void;
  readonly onSave: () => Promise<void>;
}

const AskRetention = ({ onClose, onSave }: AskRetentionProps) => (
  <FormDialog
    title="Change how long traces are kept?"
    isOpen
    danger
    submit="Change the retention"
    onClose={onClose}
    onSubmit={onSave}
  >
    <p>
      Traces whose time is over are removed for good, those that are stored now included where long gets
      shorter.
    </p>
  </FormDialog>
);
