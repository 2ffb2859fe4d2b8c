import { useSearch } from '@tanstack/react-router';
import { at } from '../../../router/addresses.ts';
import { useGo } from '../../../router/go.ts';
import { Empty } from '../../../ui/answers.tsx';
import type { Column } from '../../../ui/data-table.tsx';
import { control } from '../../../ui/fields.tsx';
import { JsonView } from '../../../ui/json-view.tsx';
import { GoTo } from '../../../ui/link.tsx';
import { Facts, Page } from '../../../ui/page.tsx';
import { Badge, Tag } from '../../../ui/status.tsx';
import { instant, wholeInstant } from '../../../words/time-rules.ts';
import { DeploymentName } from '../deployment-name.tsx';
import { DeploymentSelect } from '../deployment-select.tsx';
import { EndlessTable } from '../endless-table.tsx';
import { OpenRow } from '../open-row.tsx';
import { useActors } from '../use-actors.ts';
import { eventKinds } from './event-kinds.ts';
import { type Event, type EventFilter, eventsQuery, useLiveEvents } from './use-live-events.ts';

/** What happened in the workspace, newest first, and what happens now. */
export function EventsPage() {
  const { event, ...filter } = useSearch({ strict: false });
  const go = useGo();
  const narrow = (change: EventFilter) =>
    go(at.settings('events', { ...filter, ...change }), { replace: true });
  const list = eventsQuery(filter);
  const isLive = useLiveEvents(filter);
  return (
    <Page
      title="Events"
      filled
      beside={<Badge tone={isLive ? 'good' : 'quiet'}>{isLive ? 'live' : 'not live'}</Badge>}
      actions={
        <>
          <select
            aria-label="Kind of event"
            value={filter.kind ?? ''}
            onChange={({ target: { value } }) => narrow({ kind: value === '' ? undefined : value })}
            className={`${control} w-44!`}
          >
            <option value="">All kinds</option>
            {eventKinds.map((kind) => (
              <option key={kind} value={kind}>
                {kind}
              </option>
            ))}
          </select>
          <DeploymentSelect
            label="Events of"
            chosen={filter.deployment}
            onChoose={(deployment) => narrow({ deployment })}
          />
        </>
      }
    >
      <EndlessTable
        label="Events"
        of={list}
        columns={useColumns()}
        keyOf={({ id }) => id}
        onOpen={({ id }) => go(at.settings('events', { ...filter, event: id }))}
        empty={
          <Empty title="Nothing like this happened">
            <p>What is deployed, changed and removed is noted here, with who did it.</p>
          </Empty>
        }
      />
      {event !== undefined && (
        <OpenRow of={list} id={event} title="Event" onClose={() => go(at.settings('events', filter))}>
          {(found) => <EventFacts event={found} />}
        </OpenRow>
      )}
    </Page>
  );
}

function useColumns(): readonly Column<Event>[] {
  const nameOfActor = useActors();
  return [
    {
      id: 'at',
      header: 'When',
      width: '9rem',
      cell: ({ at: when }) => (
        <time dateTime={when} title={wholeInstant(when)}>
          {instant(when)}
        </time>
      ),
    },
    { id: 'kind', header: 'Kind', width: '11rem', cell: ({ kind }) => <Tag>{kind}</Tag> },
    {
      id: 'deployment',
      header: 'Deployment',
      width: 'minmax(8rem, 1fr)',
      cell: ({ deployment_id }) =>
        deployment_id === null ? (
          <span className="text-quiet">none</span>
        ) : (
          <GoTo target={at.deployment(deployment_id)}>
            <DeploymentName id={deployment_id} unknown={deployment_id} />
          </GoTo>
        ),
    },
    {
      id: 'change',
      header: 'Change',
      width: 'minmax(12rem, 1.5fr)',
      cell: (event) => <Change event={event} />,
    },
    {
      id: 'actor',
      header: 'By',
      width: 'minmax(8rem, 1fr)',
      cell: ({ actor }) => <span title={actor}>{nameOfActor(actor)}</span>,
    },
  ];
}

function Change({ event: { from, to, detail } }: { readonly event: Event }) {
  if (from !== null || to !== null) return `${from ?? 'nothing'} → ${to ?? 'nothing'}`;
  return <span className="text-quiet">{detailWords(detail)}</span>;
}

const CUT = 200;

/** What an event tells beside its change; ids are in its dialog. */
const detailWords = (detail: Event['detail']) =>
  Object.entries(detail)
    .filter(([name]) => !name.endsWith('_id'))
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
    .slice(0, CUT);

const EventFacts = ({ event }: { readonly event: Event }) => (
  <div className="flex flex-col gap-4">
    <Facts
      facts={[
        ['Kind', <Tag key="kind">{event.kind}</Tag>],
        ['When', wholeInstant(event.at)],
        ['By', event.actor],
        ['Change', <Change key="change" event={event} />],
      ]}
    />
    <JsonView label="The whole event" value={event} open={3} />
  </div>
);
