import { useState } from 'react';
import { control } from '../../../api/clients.ts';
import { FormDialog } from '../../../ui/dialog.tsx';
import { CheckField, TextField } from '../../../ui/fields.tsx';
import { DeploymentSelect } from '../deployment-select.tsx';
import { useChange } from '../use-change.ts';

export type Webhook = Awaited<ReturnType<typeof control.readWebhook>>;
export type WebhookSecret = Awaited<ReturnType<typeof control.createWebhook>>;

/** What one may be told about, by the beginning of a kind. */
const choices = [
  ['deployment', 'Deployments: made, changed, in trouble, removed'],
  ['revision', 'Revisions: made, built, deployed, failed'],
  ['listener', 'Listeners: made, changed, removed'],
  ['integration', 'Integrations: a push came'],
  ['webhook', 'Webhooks: made, changed, disabled'],
  ['oauth_provider', 'OAuth providers: made, changed, removed'],
] as const;
const named: readonly string[] = choices.map(([kind]) => kind);

interface WebhookFormProps {
  /** The one that is changed; undefined: a new one. */
  readonly webhook: Webhook | undefined;
  readonly onClose: () => void;
  readonly onMade: (webhook: WebhookSecret) => void;
}

export function WebhookForm({ webhook, onClose, onMade }: WebhookFormProps) {
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [kinds, setKinds] = useState<readonly string[]>(webhook?.kinds ?? []);
  const [deployment, setDeployment] = useState(webhook?.deployment_id ?? undefined);
  const change = useChange();
  const others = kinds.filter((kind) => !named.includes(kind));
  const save = async () => {
    const body = { url, kinds: [...kinds], deployment_id: deployment ?? null };
    if (webhook !== undefined) {
      await control.patchWebhook({ params: { webhook_id: webhook.id }, body });
      await change({ said: 'The webhook is changed.', changes: [['webhooks']] });
      return;
    }
    const made = await control.createWebhook({ body });
    await change({ said: 'The webhook is made.', changes: [['webhooks']] });
    onMade(made);
  };
  return (
    <FormDialog
      title={webhook === undefined ? 'New webhook' : 'Change the webhook'}
      isOpen
      submit={webhook === undefined ? 'Make the webhook' : 'Save'}
      onClose={onClose}
      onSubmit={save}
    >
      <TextField
        label="Address"
        type="url"
        required
        maxLength={2000}
        value={url}
        placeholder="https://receiver.example/roadstead"
        hint="It is sent a POST for each event, signed as Standard Webhooks says."
        onChange={({ target }) => setUrl(target.value)}
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="pb-1 font-medium">Events</legend>
        <p className="text-xs text-quiet">With none chosen, it is sent all.</p>
        {choices.map(([kind, label]) => (
          <CheckField
            key={kind}
            label={label}
            checked={kinds.includes(kind)}
            onChange={({ target: { checked } }) =>
              setKinds(checked ? [...kinds, kind] : kinds.filter((one) => one !== kind))
            }
          />
        ))}
        {others.map((kind) => (
          <CheckField
            key={kind}
            label={kind}
            checked
            onChange={() => setKinds(kinds.filter((one) => one !== kind))}
          />
        ))}
      </fieldset>
      <div className="flex flex-col gap-1">
        <span className="font-medium">Of which deployment</span>
        <DeploymentSelect label="Of which deployment" chosen={deployment} onChoose={setDeployment} />
      </div>
    </FormDialog>
  );
}
