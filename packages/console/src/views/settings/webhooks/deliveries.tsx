import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { control } from '../../../api/clients.ts';
import { whileOnePage } from '../../../api/pages.ts';
import { at } from '../../../router/addresses.ts';
import { useGo } from '../../../router/go.ts';
import { Answer, Empty } from '../../../ui/answers.tsx';
import type { Column } from '../../../ui/data-table.tsx';
import { JsonView } from '../../../ui/json-view.tsx';
import { Facts } from '../../../ui/page.tsx';
import { Badge, Tag } from '../../../ui/status.tsx';
import { Ago } from '../../../ui/time.tsx';
import { wholeInstant } from '../../../words/time-rules.ts';
import type { Tone } from '../../../words/tone.ts';
import { cursorList } from '../endless-list.ts';
import { EndlessTable } from '../endless-table.tsx';
import { OpenRow } from '../open-row.tsx';

type Delivery = Awaited<ReturnType<typeof control.listWebhookDeliveries>>['items'][number];

const deliveriesQuery = (webhook_id: string) => ({
  ...cursorList(['deliveries', webhook_id], (call) =>
    control.listWebhookDeliveries({ params: { webhook_id }, ...call }),
  ),
  refetchInterval: whileOnePage(3000),
});

const states: Readonly<Record<Delivery['state'], { readonly word: string; readonly tone: Tone }>> = {
  waiting: { word: 'waits', tone: 'busy' },
  delivered: { word: 'taken', tone: 'good' },
  dead: { word: 'given up', tone: 'bad' },
};

/** What was sent to a webhook in the last 30 days, or waits for it. */
export function Deliveries({ webhook }: { readonly webhook: string }) {
  const { delivery } = useSearch({ strict: false });
  const go = useGo();
  const list = deliveriesQuery(webhook);
  return (
    <>
      <EndlessTable
        label="Deliveries"
        of={list}
        columns={columns}
        keyOf={({ id }) => id}
        onOpen={({ id }) => go(at.webhook(webhook, { delivery: id }))}
        empty={
          <Empty title="Nothing was sent yet">
            <p>Press Send a test to see whether the address takes it.</p>
          </Empty>
        }
      />
      {delivery !== undefined && (
        <OpenRow of={list} id={delivery} title="Delivery" onClose={() => go(at.webhook(webhook))}>
          {(found) => <DeliveryFacts delivery={found} />}
        </OpenRow>
      )}
    </>
  );
}

const columns: readonly Column<Delivery>[] = [
  { id: 'at', header: 'Event', width: '7rem', cell: ({ created_at }) => <Ago at={created_at} /> },
  { id: 'kind', header: 'Kind', width: '11rem', cell: ({ kind }) => <Tag>{kind}</Tag> },
  {
    id: 'state',
    header: 'State',
    width: '7rem',
    cell: ({ state }) => <Badge tone={states[state].tone}>{states[state].word}</Badge>,
  },
  { id: 'attempts', header: 'Tries', width: '4rem', align: 'right', cell: ({ attempts }) => attempts },
  {
    id: 'due',
    header: 'Next try',
    width: '7rem',
    cell: ({ due_at }) => (due_at === null ? <span className="text-quiet">none</span> : <Ago at={due_at} />),
  },
  {
    id: 'error',
    header: 'What went wrong',
    width: 'minmax(10rem, 2fr)',
    cell: ({ error }) => error ?? <span className="text-quiet">nothing</span>,
  },
];

const SLACK_MS = 60_000;
const MOST_PAGES = 5;

/** The event of a delivery: it happened just before the delivery was made, among others. */
const eventQuery = ({ event_id, kind, created_at }: Delivery) => ({
  queryKey: ['event', event_id],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
    const around = {
      kind,
      since: new Date(Date.parse(created_at) - SLACK_MS).toISOString(),
      until: new Date(Date.parse(created_at) + SLACK_MS).toISOString(),
      page_size: 100,
    };
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const { items, next_cursor } = await control.listEvents({
        query: { ...around, ...(cursor !== undefined && { cursor }) },
        signal,
      });
      const found = items.find(({ id }) => id === event_id);
      if (found !== undefined) return { type: found.kind, timestamp: found.at, data: found };
      if (next_cursor === null) break;
      cursor = next_cursor;
    }
    return null;
  },
});

function DeliveryFacts({ delivery }: { readonly delivery: Delivery }) {
  const event = useQuery(eventQuery(delivery));
  const { kind, state, attempts, error, created_at, ended_at } = delivery;
  return (
    <div className="flex flex-col gap-4">
      <Facts
        facts={[
          ['Kind', <Tag key="kind">{kind}</Tag>],
          [
            'State',
            <Badge key="state" tone={states[state].tone}>
              {states[state].word}
            </Badge>,
          ],
          ['Tries', attempts],
          ['Event', wholeInstant(created_at)],
          ['Ended', ended_at === null ? 'not yet' : wholeInstant(ended_at)],
          ['What went wrong', error ?? 'nothing'],
        ]}
      />
      <h3 className="font-medium">What is sent</h3>
      <Answer of={event}>
        {(payload) =>
          payload === null ? (
            <p className="text-quiet">The event is no longer kept.</p>
          ) : (
            <JsonView label="The message" value={payload} open={3} />
          )
        }
      </Answer>
    </div>
  );
}
