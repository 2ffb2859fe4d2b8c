import { queryOptions, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { control } from '../../../api/clients.ts';
import { at } from '../../../router/addresses.ts';
import { Answer } from '../../../ui/answers.tsx';
import { Button } from '../../../ui/button.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { Page } from '../../../ui/page.tsx';
import { attempt, useChange } from '../use-change.ts';
import { Deliveries } from './deliveries.tsx';
import { RemoveWebhook, RotateWebhookSecret, WebhookSecretDialog, WebhookState } from './webhook-changes.tsx';
import { type Webhook, WebhookForm, type WebhookSecret } from './webhook-form.tsx';

const webhookQuery = (webhook_id: string) =>
  queryOptions({
    queryKey: ['webhooks', 'one', webhook_id],
    queryFn: ({ signal }) => control.readWebhook({ params: { webhook_id }, signal }),
    refetchInterval: 5000,
  });

/** A webhook, and what was sent to it. */
export function WebhookPage() {
  const { webhook: id = '' } = useParams({ strict: false });
  const webhook = useQuery(webhookQuery(id));
  return (
    <Answer of={webhook}>
      {(found) => (
        <Page
          title={found.url}
          above={[{ label: 'Webhooks', target: at.settings('webhooks') }]}
          filled
          beside={<WebhookState webhook={found} />}
          actions={<Actions webhook={found} />}
        >
          {found.last_error !== null && found.failures > 0 && (
            <p className="border-b border-line bg-warn-soft px-4 py-2 wrap-anywhere text-warn">
              The last try failed: {found.last_error}
            </p>
          )}
          {found.disabled_reason !== null && (
            <p className="border-b border-line bg-bad-soft px-4 py-2 wrap-anywhere text-bad">
              {found.disabled_reason}
            </p>
          )}
          <Deliveries webhook={id} />
        </Page>
      )}
    </Answer>
  );
}

type Overlay = 'change' | 'secret' | 'remove' | undefined;

function Actions({ webhook }: { readonly webhook: Webhook }) {
  const [overlay, setOverlay] = useState<Overlay>();
  const [made, setMade] = useState<WebhookSecret>();
  const change = useChange();
  const close = () => setOverlay(undefined);
  const params = { webhook_id: webhook.id };
  const test = () =>
    attempt(async () => {
      await control.testWebhook({ params });
      await change({ said: 'A test event is on its way.', changes: [['deliveries']] });
    });
  const enable = (enabled: boolean) =>
    attempt(async () => {
      await control.patchWebhook({ params, body: { enabled } });
      const said = enabled ? 'The webhook is enabled.' : 'The webhook is disabled.';
      await change({ said, changes: [['webhooks']] });
    });
  return (
    <>
      <Button
        needs="deployments:admin"
        onClick={test}
        because={webhook.enabled ? undefined : 'It is disabled, so nothing is sent.'}
      >
        Send a test
      </Button>
      <Button needs="deployments:admin" onClick={() => enable(!webhook.enabled)}>
        {webhook.enabled ? 'Disable' : 'Enable'}
      </Button>
      <Menu
        label="More actions"
        items={[
          { label: 'Change', needs: 'deployments:admin', onSelect: () => setOverlay('change') },
          { label: 'New secret', needs: 'deployments:admin', onSelect: () => setOverlay('secret') },
          { label: 'Remove', needs: 'deployments:admin', danger: true, onSelect: () => setOverlay('remove') },
        ]}
      />
      {overlay === 'change' && <WebhookForm webhook={webhook} onClose={close} onMade={setMade} />}
      {overlay === 'secret' && <RotateWebhookSecret webhook={webhook} onClose={close} onMade={setMade} />}
      {overlay === 'remove' && <RemoveWebhook webhook={webhook} onClose={close} />}
      {made && <WebhookSecretDialog webhook={made} onClose={() => setMade(undefined)} />}
    </>
  );
}
