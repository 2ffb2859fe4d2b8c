import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { control } from '../../../api/clients.ts';
import { type Deployment, deploymentsQuery } from '../../../api/deployments.ts';
import { whileOnePage } from '../../../api/pages.ts';
import { at } from '../../../router/addresses.ts';
import { Empty } from '../../../ui/answers.tsx';
import { Button } from '../../../ui/button.tsx';
import type { Column } from '../../../ui/data-table.tsx';
import { FormDialog } from '../../../ui/dialog.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { useShortcuts } from '../../../ui/keys.ts';
import { GoTo } from '../../../ui/link.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { Page } from '../../../ui/page.tsx';
import { Badge } from '../../../ui/status.tsx';
import { Ago, useNow } from '../../../ui/time.tsx';
import type { Tone } from '../../../words/tone.ts';
import { offsetList } from '../endless-list.ts';
import { EndlessTable } from '../endless-table.tsx';
import { SecretDialog } from '../../../ui/secret-dialog.tsx';
import { useChange } from '../use-change.ts';
import { type Health, healthOf, runsOn } from './join-rules.ts';
import { type JoinedListener, ListenerLines, NewListener } from './new-listener.tsx';
import { HowToFill } from '../../../ui/how-to-fill.tsx';
import { fillingLines } from '../../../words/filling-lines.ts';

type Listener = Awaited<ReturnType<typeof control.readListener>>;
type Overlay = { readonly kind: 'new' } | { readonly kind: 'key' | 'remove'; readonly listener: Listener };

const listenersQuery = {
  ...offsetList(['listeners', 'list'], async (call) => (await control.listListeners(call)).resources),
  refetchInterval: whileOnePage(10_000),
};

const places: Readonly<Record<Listener['compute_type'], string>> = {
  process: 'processes',
  container: 'containers',
  cluster: 'a cluster',
};

/** Where deployments run, and whether it is there. */
export function ListenersPage() {
  const [overlay, setOverlay] = useState<Overlay>();
  const [joined, setJoined] = useState<JoinedListener>();
  const [key, setKey] = useState<{ readonly name: string; readonly key: string }>();
  const close = () => setOverlay(undefined);
  const add = () => setOverlay({ kind: 'new' });
  useShortcuts([{ key: 'n', does: 'Add a listener', needs: 'deployments:admin', run: add }]);
  return (
    <Page
      title="Listeners"
      filled
      actions={
        <Button look="main" needs="deployments:admin" onClick={add}>
          <Icon name="plus" /> Add a listener
        </Button>
      }
    >
      <EndlessTable
        label="Listeners"
        of={listenersQuery}
        columns={useColumns(setOverlay)}
        keyOf={({ id }) => id}
        empty={
          <Empty title="There is no listener">
            <p>A listener runs deployments somewhere, such as in a cluster of yours.</p>
            <HowToFill
              needs="deployments:admin"
              button="Add a listener"
              label="Let a cluster join"
              line={fillingLines.listener(location.origin)}
            />
          </Empty>
        }
      />
      {overlay?.kind === 'new' && <NewListener onClose={close} onJoined={setJoined} />}
      {overlay?.kind === 'remove' && <RemoveListener listener={overlay.listener} onClose={close} />}
      {overlay?.kind === 'key' && <RotateKey listener={overlay.listener} onClose={close} onKey={setKey} />}
      {joined && <ListenerLines joined={joined} onClose={() => setJoined(undefined)} />}
      {key && (
        <SecretDialog
          title={`The new key of ${key.name}`}
          label="Key"
          secret={key.key}
          onClose={() => setKey(undefined)}
        />
      )}
    </Page>
  );
}

const tones: Readonly<Record<Health, Tone>> = { present: 'good', away: 'bad', 'never seen': 'warn' };

function HealthBadge({ listener }: { readonly listener: Listener }) {
  const health = healthOf(listener, Math.max(useNow(), Date.parse(listener.last_seen_at ?? '') || 0));
  return <Badge tone={tones[health]}>{health}</Badge>;
}

/** The platform's own listener is set by its operator. */
const isOwn = ({ compute_id }: Listener) => compute_id === 'embedded';

function useColumns(show: (overlay: Overlay) => void): readonly Column<Listener>[] {
  const { data = [] } = useQuery(deploymentsQuery);
  const listeners = useInfiniteQuery(listenersQuery);
  const isOnly = listeners.data?.pages.length === 1 && listeners.data.pages[0]?.items.length === 1;
  const on = (listener: Listener) =>
    data.filter((deployment) =>
      runsOn(deployment, {
        id: listener.id,
        is_own: isOwn(listener),
        is_only: isOnly,
        origin: location.origin,
      }),
    );
  return [
    {
      id: 'name',
      header: 'Name',
      width: 'minmax(7rem, 1fr)',
      cell: (listener) => (isOwn(listener) ? 'this platform' : listener.compute_id),
      sort: ({ compute_id }) => compute_id,
    },
    {
      id: 'health',
      header: 'Health',
      width: '7rem',
      cell: (listener) => <HealthBadge listener={listener} />,
    },
    {
      id: 'deployments',
      header: 'Runs',
      width: 'minmax(8.5rem, 2fr)',
      cell: (listener) => <Runs deployments={on(listener)} />,
    },
    { id: 'place', header: 'In', width: '6rem', cell: ({ compute_type }) => places[compute_type] },
    {
      id: 'fence',
      header: 'Fenced by',
      width: '6rem',
      cell: ({ isolation, resource_limits }) => (
        <span title={`Memory and CPU are limited by: ${resource_limits}`}>{isolation}</span>
      ),
    },
    { id: 'version', header: 'Version', width: '4.5rem', cell: ({ version }) => version ?? 'unknown' },
    { id: 'seen', header: 'Last seen', width: '6rem', cell: ({ last_seen_at }) => <Ago at={last_seen_at} /> },
    {
      id: 'actions',
      header: '',
      width: '3rem',
      cell: (listener) =>
        isOwn(listener) ? null : (
          <Menu
            label={`Actions of ${listener.compute_id}`}
            items={[
              {
                label: 'New key',
                needs: 'deployments:admin',
                onSelect: () => show({ kind: 'key', listener }),
              },
              {
                label: 'Remove',
                needs: 'deployments:admin',
                danger: true,
                onSelect: () => show({ kind: 'remove', listener }),
              },
            ]}
          />
        ),
    },
  ];
}

const SHOWN = 3;

function Runs({ deployments }: { readonly deployments: readonly Deployment[] }) {
  if (deployments.length === 0) return <span className="text-quiet">nothing</span>;
  return (
    <span className="flex gap-2">
      {deployments.slice(0, SHOWN).map(({ id, name }) => (
        <GoTo key={id} target={at.deployment(id)}>
          {name}
        </GoTo>
      ))}
      {deployments.length > SHOWN && (
        <span className="text-quiet">and {deployments.length - SHOWN} more</span>
      )}
    </span>
  );
}

interface ListenerDialogProps {
  readonly listener: Listener;
  readonly onClose: () => void;
}

function RemoveListener({ listener: { id, compute_id }, onClose }: ListenerDialogProps) {
  const change = useChange();
  return (
    <FormDialog
      title={`Remove ${compute_id}?`}
      isOpen
      danger
      submit="Remove"
      onClose={onClose}
      onSubmit={async () => {
        await control.deleteListener({ params: { listener_id: id } });
        await change({ said: `The listener ${compute_id} is removed.`, changes: [['listeners']] });
      }}
    >
      <p>Its key is refused from now on. A listener that still has deployments is not removed.</p>
    </FormDialog>
  );
}

interface RotateKeyProps extends ListenerDialogProps {
  readonly onKey: (key: { readonly name: string; readonly key: string }) => void;
}

function RotateKey({ listener: { id, compute_id }, onClose, onKey }: RotateKeyProps) {
  const change = useChange();
  return (
    <FormDialog
      title={`Draw a new key for ${compute_id}?`}
      isOpen
      danger
      submit="Draw a new key"
      onClose={onClose}
      onSubmit={async () => {
        const { key } = await control.rotateListenerKey({ params: { listener_id: id } });
        await change({ said: `${compute_id} has a new key.`, changes: [['listeners']] });
        onKey({ name: compute_id, key });
      }}
    >
      <p>The earlier key ends: the listener is away until it has the new one. What runs goes on running.</p>
    </FormDialog>
  );
}
