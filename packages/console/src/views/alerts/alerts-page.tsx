import type { Alert } from '@roadstead/contracts/observability';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { traces } from '../../api/clients.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { useShortcuts } from '../../ui/keys.ts';
import { endOf } from '../../ui/next-page.tsx';
import { Page } from '../../ui/page.tsx';
import { Badge } from '../../ui/status.tsx';
import { Ago } from '../../ui/time.tsx';
import { say } from '../../ui/toasts.tsx';
import { type NewSecret, newSecretsOf } from '../../words/webhook-secret-rules.ts';
import { NewWebhookSecrets } from '../../ui/secret-dialog.tsx';
import { AlertFields } from './alert-fields.tsx';
import { alertsQuery } from './alert-queries.ts';
import { emptyForm, metrics, requestOf, sentenceOf, states } from './alert-rules.ts';
import { HowToFill } from '../../ui/how-to-fill.tsx';
import { fillingLines } from '../../words/filling-lines.ts';

const columns: readonly Column<Alert>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(10rem, 2fr)',
    cell: ({ name }) => name,
    sort: ({ name }) => name,
  },
  {
    id: 'state',
    header: 'State',
    width: '8rem',
    cell: ({ state, is_enabled }) =>
      is_enabled ? (
        <Badge tone={states[state].tone} title={state}>
          {states[state].word}
        </Badge>
      ) : (
        <Badge>off</Badge>
      ),
    sort: ({ state }) => state,
  },
  { id: 'when', header: 'Fires when', width: 'minmax(14rem, 3fr)', cell: (alert) => sentenceOf(alert) },
  {
    id: 'value',
    header: 'Now',
    width: '6rem',
    align: 'right',
    cell: ({ value, metric }) => (value === null ? '–' : metrics[metric].format(value)),
  },
  { id: 'since', header: 'Since', width: '8rem', cell: ({ state_since }) => <Ago at={state_since} /> },
];

/** Thresholds on figures of runs, and their state. */
export function AlertsPage() {
  const alerts = useInfiniteQuery(alertsQuery);
  const [isNew, setNew] = useState(false);
  useShortcuts([{ key: 'n', does: 'Make an alert', needs: 'traces:admin', run: () => setNew(true) }]);
  return (
    <Page
      title="Alerts"
      filled
      actions={
        <Button look="main" needs="traces:admin" onClick={() => setNew(true)}>
          New alert
        </Button>
      }
    >
      <Answer of={alerts}>
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items);
          return rows.length === 0 ? (
            <Empty title="No alerts yet">
              <p>
                An alert watches a figure of your runs, such as the error rate or the cost, and tells you by
                webhook or mail when it crosses a threshold.
              </p>
              <HowToFill
                needs="traces:admin"
                button="New alert"
                label="Make an alert"
                line={fillingLines.alert(location.origin)}
              />
            </Empty>
          ) : (
            <DataTable
              label="Alerts"
              rows={rows}
              columns={columns}
              keyOf={({ id }) => id}
              targetOf={({ id }) => at.alert(id)}
              {...endOf(alerts)}
            />
          );
        }}
      </Answer>
      <NewAlert isOpen={isNew} onClose={() => setNew(false)} />
    </Page>
  );
}

function NewAlert({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const [form, setForm] = useState(emptyForm);
  const client = useQueryClient();
  const go = useGo();
  const [made, setMade] = useState<{ readonly id: string; readonly secrets: readonly NewSecret[] }>();
  const create = async () => {
    const { id, name, webhooks } = await traces.createAlert({ body: requestOf(form) });
    await client.invalidateQueries({ queryKey: alertsQuery.queryKey });
    say({ text: `${name} is watched from now on.` });
    setForm(emptyForm);
    const secrets = newSecretsOf(webhooks);
    if (secrets.length === 0) go(at.alert(id));
    else setMade({ id, secrets });
  };
  return (
    <>
      <FormDialog title="New alert" isOpen={isOpen} onClose={onClose} submit="Create" onSubmit={create}>
        <AlertFields form={form} onChange={setForm} />
      </FormDialog>
      {made && <NewWebhookSecrets secrets={made.secrets} onClose={() => go(at.alert(made.id))} />}
    </>
  );
}
