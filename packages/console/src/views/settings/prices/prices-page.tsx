import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { traces } from '../../../api/clients.ts';
import { Answer, Empty } from '../../../ui/answers.tsx';
import { Button } from '../../../ui/button.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { FormDialog } from '../../../ui/dialog.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { useShortcuts } from '../../../ui/keys.ts';
import { Menu } from '../../../ui/menu.tsx';
import { Page } from '../../../ui/page.tsx';
import { Ago } from '../../../ui/time.tsx';
import { count } from '../../../words/number-rules.ts';
import { useChange } from '../use-change.ts';
import { type Price, PriceForm } from './price-form.tsx';
import { perMillion } from './price-rules.ts';
import { HowToFill } from '../../../ui/how-to-fill.tsx';
import { fillingLines } from '../../../words/filling-lines.ts';

const pricesQuery = queryOptions({
  queryKey: ['prices', 'all'],
  queryFn: ({ signal }) => traces.listModelPrices({ signal }),
});

/** How far the prices were applied to stored runs; absent where they never were. */
const applicationQuery = queryOptions({
  queryKey: ['prices', 'application'],
  queryFn: ({ signal }) => traces.readModelPriceApplication({ signal }),
  retry: false,
  refetchInterval: ({ state: { data } }) => (data?.status === 'running' ? 1000 : false),
});

type Overlay =
  | { readonly kind: 'new' | 'apply' }
  | { readonly kind: 'change' | 'remove'; readonly price: Price };

/** The prices of models, by which runs that report no costs are priced. */
export function PricesPage() {
  const prices = useQuery(pricesQuery);
  const [overlay, setOverlay] = useState<Overlay>();
  const close = () => setOverlay(undefined);
  const add = () => setOverlay({ kind: 'new' });
  useShortcuts([{ key: 'n', does: 'Add a price', needs: 'workspaces:admin', run: add }]);
  return (
    <Page
      title="Prices"
      filled
      actions={
        <>
          <Button needs="workspaces:admin" onClick={() => setOverlay({ kind: 'apply' })}>
            Apply to stored runs
          </Button>
          <Button look="main" needs="workspaces:admin" onClick={add}>
            <Icon name="plus" /> New price
          </Button>
        </>
      }
    >
      <LastApplication />
      <Answer of={prices}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No model has a price">
              <p>Runs that report no costs of their own are priced by what you enter here, from then on.</p>
              <HowToFill
                needs="workspaces:admin"
                button="New price"
                label="Enter a price"
                line={fillingLines.price(location.origin)}
              />
            </Empty>
          ) : (
            <DataTable label="Prices" rows={all} columns={columns(setOverlay)} keyOf={({ id }) => id} />
          )
        }
      </Answer>
      {overlay?.kind === 'new' && <PriceForm price={undefined} onClose={close} />}
      {overlay?.kind === 'change' && <PriceForm price={overlay.price} onClose={close} />}
      {overlay?.kind === 'remove' && <RemovePrice price={overlay.price} onClose={close} />}
      {overlay?.kind === 'apply' && <ApplyPrices onClose={close} />}
    </Page>
  );
}

function LastApplication() {
  const { data } = useQuery(applicationQuery);
  if (data === undefined) return null;
  const { status, runs_seen, runs_changed, finished_at } = data;
  return (
    <p role="status" className="border-b border-line px-4 py-2 text-quiet">
      {status === 'running' ? 'Stored runs are priced now: ' : 'Stored runs were priced '}
      {status === 'done' && <Ago at={finished_at} />}
      {status === 'done' && ': '}
      {count(runs_seen)} seen, {count(runs_changed)} changed.
    </p>
  );
}

const dollarsOf = (per_token: number) => `$${perMillion(per_token)}`;
const details = (rates: Readonly<Record<string, number>> | null) =>
  Object.entries(rates ?? {}).map(([kind, rate]) => `${kind} ${dollarsOf(rate)}`);

const columns = (show: (overlay: Overlay) => void): readonly Column<Price>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(9rem, 1fr)',
    cell: ({ name }) => name,
    sort: ({ name }) => name,
  },
  {
    id: 'pattern',
    header: 'Models',
    width: 'minmax(8rem, 1.5fr)',
    cell: ({ match_pattern }) => <code>{match_pattern}</code>,
  },
  { id: 'provider', header: 'Provider', width: '6.5rem', cell: ({ provider }) => provider ?? 'any' },
  {
    id: 'input',
    header: 'Million in',
    width: '6rem',
    align: 'right',
    cell: ({ prompt_cost }) => dollarsOf(prompt_cost),
    sort: ({ prompt_cost }) => prompt_cost,
  },
  {
    id: 'output',
    header: 'Million out',
    width: '6rem',
    align: 'right',
    cell: ({ completion_cost }) => dollarsOf(completion_cost),
    sort: ({ completion_cost }) => completion_cost,
  },
  {
    id: 'details',
    header: 'Of single kinds',
    width: 'minmax(6rem, 1fr)',
    cell: ({ prompt_cost_details, completion_cost_details }) =>
      [...details(prompt_cost_details), ...details(completion_cost_details)].join(', '),
  },
  {
    id: 'actions',
    header: '',
    width: '3rem',
    cell: (price) => (
      <Menu
        label={`Actions of ${price.name}`}
        items={[
          { label: 'Change', needs: 'workspaces:admin', onSelect: () => show({ kind: 'change', price }) },
          {
            label: 'Remove',
            needs: 'workspaces:admin',
            danger: true,
            onSelect: () => show({ kind: 'remove', price }),
          },
        ]}
      />
    ),
  },
];

function RemovePrice({
  price: { id, name },
  onClose,
}: {
  readonly price: Price;
  readonly onClose: () => void;
}) {
  const change = useChange();
  return (
    <FormDialog
      title={`Remove the price of ${name}?`}
      isOpen
      danger
      submit="Remove"
      onClose={onClose}
      onSubmit={async () => {
        await traces.deleteModelPrice({ params: { price_id: id } });
        await change({ said: `The price of ${name} is removed.`, changes: [['prices']] });
      }}
    >
      <p>Runs keep the costs that they have.</p>
    </FormDialog>
  );
}

function ApplyPrices({ onClose }: { readonly onClose: () => void }) {
  const change = useChange();
  return (
    <FormDialog
      title="Price stored runs again?"
      isOpen
      danger
      submit="Price them"
      onClose={onClose}
      onSubmit={async () => {
        await traces.applyModelPrices({ body: {} });
        await change({
          said: 'Stored runs are priced at the present prices.',
          changes: [['prices', 'application']],
        });
      }}
    >
      <p>The costs of stored runs are computed again at the present prices. Costs that runs reported stay.</p>
    </FormDialog>
  );
}
