import { useState } from 'react';
import { traces } from '../../../api/clients.ts';
import { at } from '../../../router/addresses.ts';
import { useGo } from '../../../router/go.ts';
import { Empty } from '../../../ui/answers.tsx';
import { Button } from '../../../ui/button.tsx';
import type { Column } from '../../../ui/data-table.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { useShortcuts } from '../../../ui/keys.ts';
import { GoTo } from '../../../ui/link.tsx';
import { Page } from '../../../ui/page.tsx';
import { share } from '../../../words/number-rules.ts';
import { offsetList } from '../endless-list.ts';
import { EndlessTable } from '../endless-table.tsx';
import type { NewSecret } from '../../../words/webhook-secret-rules.ts';
import { NewWebhookSecrets } from '../../../ui/secret-dialog.tsx';
import { actionsOf, RuleState } from './rule-changes.tsx';
import { type Rule, RuleForm } from './rule-form.tsx';
import { HowToFill } from '../../../ui/how-to-fill.tsx';
import { fillingLines } from '../../../words/filling-lines.ts';

const rulesQuery = offsetList(['rules', 'all'], traces.listRules);

/** What is done by itself with runs that match. */
export function RulesPage() {
  const [isNew, setNew] = useState(false);
  const [secrets, setSecrets] = useState<readonly NewSecret[]>([]);
  const go = useGo();
  useShortcuts([{ key: 'n', does: 'Make a rule', needs: 'traces:admin', run: () => setNew(true) }]);
  return (
    <Page
      title="Rules"
      filled
      actions={
        <Button look="main" needs="traces:admin" onClick={() => setNew(true)}>
          <Icon name="plus" /> New rule
        </Button>
      }
    >
      <EndlessTable
        label="Rules"
        of={rulesQuery}
        columns={columns}
        keyOf={({ id }) => id}
        onOpen={({ id }) => go(at.rule(id))}
        empty={
          <Empty title="There is no rule">
            <p>
              A rule acts on runs once they have ended: failures go to an annotation queue, good answers to a
              dataset.
            </p>
            <HowToFill
              needs="traces:admin"
              button="New rule"
              label="Make a rule"
              line={fillingLines.rule(location.origin)}
            />
          </Empty>
        }
      />
      {isNew && <RuleForm rule={undefined} onClose={() => setNew(false)} onSecrets={setSecrets} />}
      <NewWebhookSecrets secrets={secrets} onClose={() => setSecrets([])} />
    </Page>
  );
}

const columns: readonly Column<Rule>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(9rem, 1fr)',
    cell: ({ id, display_name }) => (
      <GoTo target={at.rule(id)} className="hover:underline">
        {display_name}
      </GoTo>
    ),
    sort: ({ display_name }) => display_name,
  },
  { id: 'state', header: 'State', width: '7rem', cell: (rule) => <RuleState rule={rule} /> },
  {
    id: 'of',
    header: 'Runs of',
    width: 'minmax(8rem, 1fr)',
    cell: ({ session_name, dataset_name }) => session_name ?? dataset_name ?? 'every project',
  },
  {
    id: 'share',
    header: 'Share',
    width: '4.5rem',
    align: 'right',
    cell: ({ sampling_rate }) => share(sampling_rate),
  },
  {
    id: 'filter',
    header: 'Filter',
    width: 'minmax(10rem, 1.5fr)',
    cell: ({ filter }) => (filter === null ? <span className="text-quiet">all</span> : <code>{filter}</code>),
  },
  { id: 'actions', header: 'Then', width: 'minmax(10rem, 1.5fr)', cell: actionsOf },
];
