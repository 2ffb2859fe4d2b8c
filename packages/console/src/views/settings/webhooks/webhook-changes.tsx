import { useNavigate } from '@tanstack/react-router';
import { control } from '../../../api/clients.ts';
import { at } from '../../../router/addresses.ts';
import { linkProps } from '../../../router/go.ts';
import { FormDialog } from '../../../ui/dialog.tsx';
import { Badge } from '../../../ui/status.tsx';
import { SecretDialog } from '../../../ui/secret-dialog.tsx';
import { useChange } from '../use-change.ts';
import type { Webhook, WebhookSecret } from './webhook-form.tsx';

/** Whether events are sent to it. */
export function WebhookState({
  webhook: { enabled, failures, disabled_reason },
}: {
  readonly webhook: Webhook;
}) {
  if (!enabled)
    return (
      <Badge tone={disabled_reason === null ? 'quiet' : 'bad'} title={disabled_reason ?? 'by a person'}>
        disabled
      </Badge>
    );
  return failures > 0 ? <Badge tone="warn">failing</Badge> : <Badge tone="good">enabled</Badge>;
}

interface WebhookDialogProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

export function RemoveWebhook({ webhook: { id, url }, onClose }: WebhookDialogProps) {
  const change = useChange();
  const navigate = useNavigate();
  return (
    <FormDialog
      title="Remove the webhook?"
      isOpen
      danger
      submit="Remove"
      onClose={onClose}
      onSubmit={async () => {
        await control.deleteWebhook({ params: { webhook_id: id } });
        await navigate({ ...(linkProps(at.settings('webhooks')) as object) });
        await change({ said: 'The webhook is removed.', changes: [['webhooks', 'all']] });
      }}
    >
      <p className="wrap-anywhere">{url} is sent nothing more, what waits for it included.</p>
    </FormDialog>
  );
}

export function RotateWebhookSecret({
  webhook: { id },
  onClose,
  onMade,
}: WebhookDialogProps & { readonly onMade: (webhook: WebhookSecret) => void }) {
  const change = useChange();
  return (
    <FormDialog
      title="Draw a new secret?"
      isOpen
      danger
      submit="Draw a new secret"
      onClose={onClose}
      onSubmit={async () => {
        const made = await control.rotateWebhookSecret({ params: { webhook_id: id } });
        await change({ said: 'The webhook has a new secret.', changes: [['webhooks']] });
        onMade(made);
      }}
    >
      <p>For a day, messages are signed with the earlier one too.</p>
    </FormDialog>
  );
}

export const WebhookSecretDialog = ({
  webhook: { secret },
  onClose,
}: {
  readonly webhook: WebhookSecret;
  readonly onClose: () => void;
}) => (
  <SecretDialog title="The secret of the webhook" label="Secret" secret={secret} onClose={onClose}>
    <p className="text-quiet">
      The receiver verifies by it that a message is ours: any library of Standard Webhooks does that.
    </p>
  </SecretDialog>
);
