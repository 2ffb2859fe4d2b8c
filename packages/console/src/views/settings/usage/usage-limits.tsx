import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { traces } from '../../../api/clients.ts';
import { Answer } from '../../../ui/answers.tsx';
import { Button } from '../../../ui/button.tsx';
import { FormDialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/fields.tsx';
import { Card } from '../../../ui/page.tsx';
import { Badge } from '../../../ui/status.tsx';
import { bytes, count } from '../../../words/number-rules.ts';
import { useChange } from '../use-change.ts';

type UsageLimit = Awaited<ReturnType<typeof traces.listUsageLimits>>[number];
type LimitType = UsageLimit['limit_type'];

interface LimitWords {
  readonly name: string;
  readonly unit: string;
  readonly beyond: string;
  readonly tell: (value: number) => string;
}

const limits: Readonly<Record<LimitType, LimitWords>> = {
  monthly_traces: {
    name: 'Traces a month',
    unit: 'traces',
    beyond: 'Beyond it, new traces are refused.',
    tell: count,
  },
  monthly_longlived_traces: {
    name: 'Traces kept long a month',
    unit: 'traces',
    beyond: 'Beyond it, traces are not kept long.',
    tell: count,
  },
  monthly_bytes: {
    name: 'Bytes a month',
    unit: 'bytes, compressed',
    beyond: 'Beyond it, new traces are refused.',
    tell: bytes,
  },
};
const types = Object.keys(limits) as LimitType[];

const limitsQuery = queryOptions({
  queryKey: ['usage', 'limits'],
  queryFn: ({ signal }) => traces.listUsageLimits({ signal }),
});

const reachedQuery = queryOptions({
  queryKey: ['usage', 'reached'],
  queryFn: ({ signal }) => traces.readWorkspaceUsage({ signal }),
});

type Overlay =
  | { readonly kind: 'set'; readonly type: LimitType; readonly value: number | undefined }
  | { readonly kind: 'remove'; readonly limit: UsageLimit };

export function UsageLimits() {
  const found = useQuery(limitsQuery);
  const { data: reached } = useQuery(reachedQuery);
  const [overlay, setOverlay] = useState<Overlay>();
  const close = () => setOverlay(undefined);
  return (
    <Card title="Limits">
      <Answer of={found}>
        {(all) => (
          <ul className="-my-2 divide-y divide-line">
            {types.map((type) => (
              <LimitRow
                key={type}
                type={type}
                limit={all.find(({ limit_type }) => limit_type === type)}
                isReached={reached?.in_reject_set === true && reached.usage_limit_type === type}
                onShow={setOverlay}
              />
            ))}
          </ul>
        )}
      </Answer>
      {overlay?.kind === 'set' && <SetLimit type={overlay.type} value={overlay.value} onClose={close} />}
      {overlay?.kind === 'remove' && <RemoveLimit limit={overlay.limit} onClose={close} />}
    </Card>
  );
}

interface LimitRowProps {
  readonly type: LimitType;
  readonly limit: UsageLimit | undefined;
  readonly isReached: boolean;
  readonly onShow: (overlay: Overlay) => void;
}

function LimitRow({ type, limit, isReached, onShow }: LimitRowProps) {
  const { name, tell } = limits[type];
  return (
    <li className="flex flex-wrap items-center gap-2 py-2">
      <span>{name}:</span>
      <span className="font-medium">{limit === undefined ? 'no limit' : tell(limit.limit_value)}</span>
      {isReached && <Badge tone="bad">reached</Badge>}
      <span className="ml-auto flex gap-2">
        <Button
          small
          needs="workspaces:admin"
          aria-label={`Set: ${name}`}
          onClick={() => onShow({ kind: 'set', type, value: limit?.limit_value })}
        >
          Set
        </Button>
        {limit !== undefined && (
          <Button
            small
            look="danger"
            needs="workspaces:admin"
            aria-label={`Remove: ${name}`}
            onClick={() => onShow({ kind: 'remove', limit })}
          >
            Remove
          </Button>
        )}
      </span>
    </li>
  );
}

interface SetLimitProps {
  readonly type: LimitType;
  readonly value: number | undefined;
  readonly onClose: () => void;
}

function SetLimit({ type, value: earlier, onClose }: SetLimitProps) {
  const { name, unit, beyond } = limits[type];
  const [value, setValue] = useState(earlier === undefined ? '' : String(earlier));
  const change = useChange();
  return (
    <FormDialog
      title={name}
      isOpen
      submit="Set the limit"
      onClose={onClose}
      onSubmit={async () => {
        await traces.setUsageLimit({ body: { limit_type: type, limit_value: Number(value) } });
        await change({ said: `The limit of ${name.toLowerCase()} is set.`, changes: [['usage']] });
      }}
    >
      <TextField
        label={`At most (${unit})`}
        type="number"
        required
        min={0}
        step={1}
        value={value}
        hint={beyond}
        onChange={({ target }) => setValue(target.value)}
      />
    </FormDialog>
  );
}

function RemoveLimit({ limit, onClose }: { readonly limit: UsageLimit; readonly onClose: () => void }) {
  const { name } = limits[limit.limit_type];
  const change = useChange();
  return (
    <FormDialog
      title={`Remove the limit of ${name.toLowerCase()}?`}
      isOpen
      danger
      submit="Remove the limit"
      onClose={onClose}
      onSubmit={async () => {
        await traces.deleteUsageLimit({ params: { usage_limit_id: limit.id } });
        await change({ said: `The limit of ${name.toLowerCase()} is removed.`, changes: [['usage']] });
      }}
    >
      <p>As many as come are taken from now on.</p>
    </FormDialog>
  );
}
