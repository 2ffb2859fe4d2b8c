import { useState } from 'react';
import { control } from '../../../api/clients.ts';
import { at } from '../../../router/addresses.ts';
import { useGo } from '../../../router/go.ts';
import { Empty } from '../../../ui/answers.tsx';
import { Button } from '../../../ui/button.tsx';
import type { Column } from '../../../ui/data-table.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { useShortcuts } from '../../../ui/keys.ts';
import { GoTo } from '../../../ui/link.tsx';
import { Page } from '../../../ui/page.tsx';
import { Ago } from '../../../ui/time.tsx';
import { DeploymentName } from '../deployment-name.tsx';
import { cursorList } from '../endless-list.ts';
import { EndlessTable } from '../endless-table.tsx';
import { WebhookSecretDialog, WebhookState } from './webhook-changes.tsx';
import { type Webhook, WebhookForm, type WebhookSecret } from './webhook-form.tsx';
import { HowToFill } from '../../../ui/how-to-fill.tsx';
import { fillingLines } from '../../../words/filling-lines.ts';

const webhooksQuery = cursorList(['webhooks', 'all'], control.listWebhooks);

/** Addresses that are sent the events of the workspace. */
export function WebhooksPage() {
  const [isNew, setNew] = useState(false);
  const [made, setMade] = useState<WebhookSecret>();
  const go = useGo();
  useShortcuts([{ key: 'n', does: 'Make a webhook', needs: 'deployments:admin', run: () => setNew(true) }]);
  return (
    <Page
      title="Webhooks"
      filled
      actions={
        <Button look="main" needs="deployments:admin" onClick={() => setNew(true)}>
          <Icon name="plus" /> New webhook
        </Button>
      }
    >
      <EndlessTable
        label="Webhooks"
        of={webhooksQuery}
        columns={useColumns()}
        keyOf={({ id }) => id}
        onOpen={({ id }) => go(at.webhook(id))}
        empty={
          <Empty title="Nobody is told of events">
            <p>A webhook is sent what happens here, such as that a revision failed.</p>
            <HowToFill
              needs="deployments:admin"
              button="New webhook"
              label="Make a webhook"
              line={fillingLines.webhook(location.origin)}
            />
          </Empty>
        }
      />
      {isNew && <WebhookForm webhook={undefined} onClose={() => setNew(false)} onMade={setMade} />}
      {made && <WebhookSecretDialog webhook={made} onClose={() => setMade(undefined)} />}
    </Page>
  );
}

function useColumns(): readonly Column<Webhook>[] {
  return [
    {
      id: 'url',
      header: 'Address',
      width: 'minmax(14rem, 2fr)',
      cell: ({ id, url }) => (
        <GoTo target={at.webhook(id)} className="hover:underline">
          {url}
        </GoTo>
      ),
      sort: ({ url }) => url,
    },
    { id: 'state', header: 'State', width: '7rem', cell: (webhook) => <WebhookState webhook={webhook} /> },
    {
      id: 'kinds',
      header: 'Events',
      width: 'minmax(9rem, 1fr)',
      cell: ({ kinds }) => (kinds.length === 0 ? 'all' : kinds.join(', ')),
    },
    {
      id: 'deployment',
      header: 'Of',
      width: 'minmax(8rem, 1fr)',
      cell: ({ deployment_id }) =>
        deployment_id === null ? (
          'the workspace'
        ) : (
          <DeploymentName id={deployment_id} unknown="a deployment" />
        ),
    },
    {
      id: 'delivered',
      header: 'Last taken',
      width: '7rem',
      cell: ({ last_delivered_at }) => <Ago at={last_delivered_at} />,
    },
  ];
}
