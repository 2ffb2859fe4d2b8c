import { useState } from 'react';
import { control } from '../../../api/clients.ts';
import { Snippet } from '../../../ui/copy.tsx';
import { FormDialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/fields.tsx';
import { SecretDialog } from '../../../ui/secret-dialog.tsx';
import { useChange } from '../use-change.ts';
import type { Integration } from './integration-forms.tsx';

interface IntegrationDialogProps {
  readonly integration: Integration;
  readonly onClose: () => void;
}

export function RemoveIntegration({ integration: { id, name }, onClose }: IntegrationDialogProps) {
  const change = useChange();
  return (
    <FormDialog
      title={`Remove ${name}?`}
      isOpen
      danger
      submit="Remove"
      onClose={onClose}
      onSubmit={async () => {
        await control.deleteIntegration({ params: { integration_id: id } });
        await change({ said: `The integration ${name} is removed.`, changes: [['integrations']] });
      }}
    >
      <p>Its credential is forgotten, and pushes are no longer heard of. One that a deployment uses stays.</p>
    </FormDialog>
  );
}

export function RenameIntegration({ integration: { id, name: earlier }, onClose }: IntegrationDialogProps) {
  const [name, setName] = useState(earlier);
  const change = useChange();
  return (
    <FormDialog
      title={`Rename ${earlier}`}
      isOpen
      submit="Rename"
      onClose={onClose}
      onSubmit={async () => {
        await control.patchIntegration({ params: { integration_id: id }, body: { name } });
        await change({ said: `The integration is called ${name}.`, changes: [['integrations']] });
      }}
    >
      <TextField
        label="Name"
        required
        maxLength={100}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
    </FormDialog>
  );
}

interface RotateSecretProps extends IntegrationDialogProps {
  readonly onMade: (integration: Integration) => void;
}

export function RotateSecret({ integration: { id, name }, onClose, onMade }: RotateSecretProps) {
  const change = useChange();
  return (
    <FormDialog
      title={`Draw a new webhook secret for ${name}?`}
      isOpen
      danger
      submit="Draw a new secret"
      onClose={onClose}
      onSubmit={async () => {
        const changed = await control.patchIntegration({
          params: { integration_id: id },
          body: { rotate_webhook_secret: true },
        });
        await change({ said: `${name} has a new webhook secret.`, changes: [['integrations']] });
        onMade(changed);
      }}
    >
      <p>The earlier one ends: pushes are refused until the host has the new one.</p>
    </FormDialog>
  );
}

/** What the git host has to be told: address and secret of its webhook, and the public key. */
export const IntegrationSecret = ({ integration, onClose }: IntegrationDialogProps) => {
  const { name, webhook_url, webhook_secret, credential } = integration;
  return (
    <SecretDialog
      title={`Tell the git host about ${name}`}
      label="Secret of the webhook"
      secret={webhook_secret ?? ''}
      onClose={onClose}
    >
      <p className="text-quiet">
        Make a webhook for pushes at the git host, with this secret and this address:
      </p>
      <Snippet label="Address of the webhook" text={webhook_url} />
      {credential?.public_key != null && (
        <>
          <p className="text-quiet">And register this public key there, as a deploy key that only reads:</p>
          <Snippet label="Public key" text={credential.public_key} />
        </>
      )}
    </SecretDialog>
  );
};
