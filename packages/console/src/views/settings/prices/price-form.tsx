import { useState } from 'react';
import { traces } from '../../../api/clients.ts';
import { FormDialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/fields.tsx';
import { useChange } from '../use-change.ts';
import { perMillion, perToken } from './price-rules.ts';

export type Price = Awaited<ReturnType<typeof traces.listModelPrices>>[number];

interface PriceFormProps {
  /** The one that is changed; undefined: a new one. */
  readonly price: Price | undefined;
  readonly onClose: () => void;
}

const fields = ['name', 'match_pattern', 'provider', 'input', 'output'] as const;
type Draft = Readonly<Record<(typeof fields)[number], string>>;

/** What a form doesn't show of a price stays as it is. */
const restOf = ({ match_path, start_time, prompt_cost_details, completion_cost_details }: Price) => ({
  match_path: match_path as ('model' | 'model_name' | 'model_id' | 'model_path' | 'endpoint_name')[],
  start_time,
  prompt_cost_details,
  completion_cost_details,
});

export function PriceForm({ price, onClose }: PriceFormProps) {
  const [draft, setDraft] = useState<Draft>({
    name: price?.name ?? '',
    match_pattern: price?.match_pattern ?? '',
    provider: price?.provider ?? '',
    input: price === undefined ? '' : perMillion(price.prompt_cost),
    output: price === undefined ? '' : perMillion(price.completion_cost),
  });
  const change = useChange();
  const save = async () => {
    const body = {
      ...(price && restOf(price)),
      name: draft.name,
      match_pattern: draft.match_pattern,
      provider: draft.provider === '' ? null : draft.provider,
      prompt_cost: perToken(draft.input),
      completion_cost: perToken(draft.output),
    };
    await (price === undefined
      ? traces.createModelPrice({ body })
      : traces.putModelPrice({ params: { price_id: price.id }, body }));
    await change({ said: `The price of ${draft.name} is set.`, changes: [['prices']] });
  };
  const field = (name: keyof Draft) => ({
    value: draft[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      setDraft({ ...draft, [name]: target.value }),
  });
  return (
    <FormDialog
      title={price === undefined ? 'New price' : `Change the price of ${price.name}`}
      isOpen
      submit={price === undefined ? 'Add' : 'Save'}
      onClose={onClose}
      onSubmit={save}
    >
      <TextField label="Name" required maxLength={200} placeholder="example-model" {...field('name')} />
      <TextField
        label="Pattern of the model’s name"
        required
        maxLength={500}
        className="font-mono"
        placeholder="^example-model"
        hint="A regular expression that is searched for in the name that runs report."
        {...field('match_pattern')}
      />
      <TextField label="Provider" maxLength={200} hint="Left empty, any." {...field('provider')} />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Dollars per million tokens in"
          required
          type="number"
          min={0}
          step="any"
          {...field('input')}
        />
        <TextField
          label="Dollars per million tokens out"
          required
          type="number"
          min={0}
          step="any"
          {...field('output')}
        />
      </div>
    </FormDialog>
  );
}
