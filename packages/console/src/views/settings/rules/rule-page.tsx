import { queryOptions, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { traces } from '../../../api/clients.ts';
import { whileOnePage } from '../../../api/pages.ts';
import { at } from '../../../router/addresses.ts';
import { Answer, Empty } from '../../../ui/answers.tsx';
import { Button } from '../../../ui/button.tsx';
import type { Column } from '../../../ui/data-table.tsx';
import { GoTo } from '../../../ui/link.tsx';
import { Page } from '../../../ui/page.tsx';
import { Badge } from '../../../ui/status.tsx';
import { Ago } from '../../../ui/time.tsx';
import type { Tone } from '../../../words/tone.ts';
import { offsetList } from '../endless-list.ts';
import { EndlessTable } from '../endless-table.tsx';
import type { NewSecret } from '../../../words/webhook-secret-rules.ts';
import { NewWebhookSecrets } from '../../../ui/secret-dialog.tsx';
import { attempt, useChange } from '../use-change.ts';
import { actionsOf, RemoveRule, RuleState } from './rule-changes.tsx';
import { type Rule, RuleForm } from './rule-form.tsx';

type RuleLog = Awaited<ReturnType<typeof traces.listRuleLogs>>[number];

const ruleQuery = (rule_id: string) =>
  queryOptions({
    queryKey: ['rules', 'one', rule_id],
    queryFn: ({ signal }) => traces.readRule({ params: { rule_id }, signal }),
  });

const logsQuery = (rule_id: string) => ({
  ...offsetList(['rules', 'logs', rule_id], (call) => traces.listRuleLogs({ params: { rule_id }, ...call })),
  refetchInterval: whileOnePage(10_000),
});

/** A rule, and the runs that it acts on. */
export function RulePage() {
  const { rule: id = '' } = useParams({ strict: false });
  const rule = useQuery(ruleQuery(id));
  return (
    <Answer of={rule}>
      {(found) => (
        <Page
          title={found.display_name}
          above={[{ label: 'Rules', target: at.settings('rules') }]}
          filled
          beside={<RuleState rule={found} />}
          actions={<Actions rule={found} />}
        >
          <p className="border-b border-line px-4 py-2 wrap-anywhere">
            Of <strong>{found.session_name ?? found.dataset_name ?? 'every project'}</strong>, runs that match{' '}
            <code>{found.filter ?? 'anything'}</code>: {actionsOf(found)}.
            {found.disabled_reason !== null && <span className="text-bad"> {found.disabled_reason}</span>}
          </p>
          <EndlessTable
            label="Runs"
            of={logsQuery(id)}
            columns={columns}
            keyOf={({ run_id }) => run_id}
            empty={
              <Empty title="It acted on no run yet">
                <p>A rule acts on runs that end from when it was made.</p>
              </Empty>
            }
          />
        </Page>
      )}
    </Answer>
  );
}

function Actions({ rule }: { readonly rule: Rule }) {
  const [overlay, setOverlay] = useState<'change' | 'remove'>();
  const [secrets, setSecrets] = useState<readonly NewSecret[]>([]);
  const change = useChange();
  const close = () => setOverlay(undefined);
  const enable = (is_enabled: boolean) =>
    attempt(async () => {
      await traces.patchRule({ params: { rule_id: rule.id }, body: { is_enabled } });
      const said = is_enabled ? `${rule.display_name} acts again.` : `${rule.display_name} is disabled.`;
      await change({ said, changes: [['rules']] });
    });
  return (
    <>
      <Button needs="traces:admin" onClick={() => enable(!rule.is_enabled)}>
        {rule.is_enabled ? 'Disable' : 'Enable'}
      </Button>
      <Button needs="traces:admin" onClick={() => setOverlay('change')}>
        Change
      </Button>
      <Button needs="traces:admin" look="danger" onClick={() => setOverlay('remove')}>
        Delete
      </Button>
      {overlay === 'change' && <RuleForm rule={rule} onClose={close} onSecrets={setSecrets} />}
      {overlay === 'remove' && <RemoveRule rule={rule} onClose={close} />}
      <NewWebhookSecrets secrets={secrets} onClose={() => setSecrets([])} />
    </>
  );
}

type Outcome = NonNullable<RuleLog['add_to_dataset']>['outcome'];
const tones: Readonly<Record<Outcome, Tone>> = { success: 'good', skipped: 'quiet', error: 'bad' };

const columns: readonly Column<RuleLog>[] = [
  {
    id: 'run',
    header: 'Run',
    width: 'minmax(10rem, 1fr)',
    cell: ({ run_id, run_name }) => <GoTo target={at.run(run_id)}>{run_name ?? run_id}</GoTo>,
  },
  { id: 'began', header: 'Began', width: '7rem', cell: ({ start_time }) => <Ago at={start_time} /> },
  {
    id: 'applied',
    header: 'Acted',
    width: '7rem',
    cell: ({ application_time }) =>
      application_time === null ? <Badge tone="busy">waits</Badge> : <Ago at={application_time} />,
  },
  {
    id: 'outcomes',
    header: 'Outcome',
    width: 'minmax(14rem, 2fr)',
    cell: (log) => <Outcomes log={log} />,
  },
];

function Outcomes({ log }: { readonly log: RuleLog }) {
  const all = [
    ['dataset', log.add_to_dataset],
    ['queue', log.add_to_annotation_queue],
    ['kept long', log.extend_retention],
    ['called', log.webhooks],
  ] as const;
  return (
    <span className="flex items-center gap-2">
      {all.map(
        ([name, outcome]) =>
          outcome !== null && (
            <Badge key={name} tone={tones[outcome.outcome]} title={outcome.outcome}>
              {name}
            </Badge>
          ),
      )}
      {log.error !== null && <span className="truncate text-bad">{log.error}</span>}
    </span>
  );
}
