import type { Alert, AlertFields, AlertLogEntry } from '@roadstead/contracts/observability';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { traces } from '../../api/clients.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { NextPageButton } from '../../ui/next-page.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Badge } from '../../ui/status.tsx';
import { Ago, useNow } from '../../ui/time.tsx';
import { say } from '../../ui/toasts.tsx';
import { type NewSecret, newSecretsOf } from '../../words/webhook-secret-rules.ts';
import { NewWebhookSecrets } from '../../ui/secret-dialog.tsx';
import { AlertFacts } from './alert-facts.tsx';
import { alertLogQuery, alertQuery, alertsQuery } from './alert-queries.ts';
import { AlertFields as FormFields } from './alert-fields.tsx';
import { changesOf, formOf, metrics, states } from './alert-rules.ts';

const route = getRouteApi('/alerts/$alert');

export function AlertPage() {
  const { alert } = route.useParams();
  return <Answer of={useQuery(alertQuery(alert))}>{(found) => <LoadedAlert alert={found} />}</Answer>;
}

const HOUR_MS = 3_600_000;

function useAlertActions({ id, name }: Alert) {
  const client = useQueryClient();
  const renew = async () => {
    await Promise.all(
      [alertQuery(id).queryKey, alertLogQuery(id).queryKey, alertsQuery.queryKey].map((queryKey) =>
        client.invalidateQueries({ queryKey: [...queryKey] }),
      ),
    );
  };
  const change = useMutation({
    mutationFn: (body: AlertFields) => traces.patchAlert({ params: { alert_id: id }, body }),
    onSuccess: renew,
  });
  const test = useMutation({
    mutationFn: () => traces.testAlert({ params: { alert_id: id } }),
    onSuccess: async () => {
      await renew();
      say({ text: `A test of ${name} is on its way; its log shows what comes of it.` });
    },
  });
  return { change, test };
}

function LoadedAlert({ alert }: { readonly alert: Alert }) {
  const { id, name, state, is_enabled } = alert;
  const [isDeleting, setDeleting] = useState(false);
  const [isEdited, setEdited] = useState(false);
  const [secrets, setSecrets] = useState<readonly NewSecret[]>([]);
  const go = useGo();
  const client = useQueryClient();
  const remove = async () => {
    await traces.deleteAlert({ params: { alert_id: id } });
    await client.invalidateQueries({ queryKey: alertsQuery.queryKey });
    say({ text: `${name} was deleted.` });
    go(at.alerts());
  };
  return (
    <Page
      title={name}
      above={[{ label: 'Alerts', target: at.alerts() }]}
      beside={
        <Badge tone={states[state].tone} title={state}>
          {is_enabled ? states[state].word : 'off'}
        </Badge>
      }
      actions={
        <AlertActions alert={alert} onEdit={() => setEdited(true)} onDelete={() => setDeleting(true)} />
      }
    >
      <div className="flex flex-col gap-4">
        <AlertFacts alert={alert} />
        <AlertLog alert={alert} />
      </div>
      {isEdited && <EditAlert alert={alert} onClose={() => setEdited(false)} onSecrets={setSecrets} />}
      <NewWebhookSecrets secrets={secrets} onClose={() => setSecrets([])} />
      <FormDialog
        title={`Delete ${name}?`}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        submit="Delete"
        danger
        onSubmit={remove}
      >
        <p>Its log goes with it, and what it was to tell is not sent.</p>
      </FormDialog>
    </Page>
  );
}

interface EditAlertProps {
  readonly alert: Alert;
  readonly onClose: () => void;
  readonly onSecrets: (secrets: readonly NewSecret[]) => void;
}

function EditAlert({ alert, onClose, onSecrets }: EditAlertProps) {
  const [form, setForm] = useState(() => formOf(alert));
  const { change } = useAlertActions(alert);
  const save = async () => {
    const { name, webhooks } = await change.mutateAsync(changesOf(alert, form));
    say({ text: `${name} is changed.` });
    onSecrets(newSecretsOf(webhooks));
  };
  return (
    <FormDialog title={`Edit ${alert.name}`} isOpen onClose={onClose} submit="Save" onSubmit={save}>
      <FormFields form={form} onChange={setForm} />
    </FormDialog>
  );
}

interface AlertActionsProps {
  readonly alert: Alert;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

function AlertActions({ alert, onEdit, onDelete }: AlertActionsProps) {
  const { is_enabled, muted_until, webhooks, mail_to } = alert;
  const { change, test } = useAlertActions(alert);
  const now = useNow();
  const isMuted = muted_until !== null && Date.parse(muted_until) > now;
  const mute = (hours: number) =>
    change.mutate({ muted_until: new Date(Date.now() + hours * HOUR_MS).toISOString() });
  const because =
    webhooks.length + mail_to.length > 0
      ? undefined
      : 'It tells nobody: it has no webhook and no address of mail.';
  return (
    <>
      <Button needs="traces:admin" onClick={onEdit}>
        Edit
      </Button>
      <Button needs="traces:admin" onClick={() => test.mutate()} because={because}>
        Send a test
      </Button>
      <Button needs="traces:admin" onClick={() => (isMuted ? change.mutate({ muted_until: null }) : mute(1))}>
        {isMuted ? 'End the silence' : 'Silence for an hour'}
      </Button>
      <Menu
        label="More"
        items={[
          { label: 'Silence for a day', needs: 'traces:admin', onSelect: () => mute(24) },
          {
            label: is_enabled ? 'Turn off' : 'Turn on',
            needs: 'traces:admin',
            onSelect: () => change.mutate({ is_enabled: !is_enabled }),
          },
          { label: 'Delete', needs: 'traces:admin', danger: true, onSelect: onDelete },
        ]}
      />
    </>
  );
}

function AlertLog({ alert }: { readonly alert: Alert }) {
  const log = useInfiniteQuery(alertLogQuery(alert.id));
  return (
    <Card title="Log">
      <Answer of={log}>
        {({ pages }) => {
          const entries = pages.flatMap(({ items }) => items);
          return (
            <>
              {entries.length === 0 && <p className="text-quiet">Its state has not changed yet.</p>}
              <ul className="-my-2 divide-y divide-line">
                {entries.map((entry) => (
                  <LogEntry key={entry.id} entry={entry} metric={alert.metric} />
                ))}
              </ul>
              <NextPageButton of={log}>Earlier</NextPageButton>
            </>
          );
        }}
      </Answer>
    </Card>
  );
}

interface LogEntryProps {
  readonly entry: AlertLogEntry;
  readonly metric: Alert['metric'];
}

const LogEntry = ({ entry: { at: when, kind, from, to, value, deliveries }, metric }: LogEntryProps) => (
  <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
    <span className="w-24 text-xs text-quiet">
      <Ago at={when} />
    </span>
    {kind === 'test' ? (
      <span>A test was sent</span>
    ) : (
      <span>
        {states[from].word} → <strong>{states[to].word}</strong>
      </span>
    )}
    {value !== null && <span className="text-quiet">at {metrics[metric].format(value)}</span>}
    {deliveries.map(({ to: receiver, state, error }) => (
      <span
        key={receiver}
        className={state === 'dead' ? 'text-bad' : 'text-quiet'}
        title={error ?? undefined}
      >
        {receiver}: {state === 'dead' ? 'not reached' : state}
      </span>
    ))}
  </li>
);
