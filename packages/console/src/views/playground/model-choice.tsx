import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { SelectField, TextField } from '../../ui/fields.tsx';
import { GoTo } from '../../ui/link.tsx';
import { Card } from '../../ui/page.tsx';
import type { PlaygroundSearch } from './playground-search.ts';
import { type ModelProvider, modelsQuery } from './providers.ts';

type Choice = ReturnType<typeof useModel>;

/** The provider and the model that are asked: those of the address, or the first there are. */
export function useModel(providers: readonly ModelProvider[]) {
  const search: PlaygroundSearch = useSearch({ strict: false });
  const go = useGo();
  const provider = providers.find(({ id }) => id === search.provider) ?? providers[0];
  const named = useQuery(modelsQuery(provider?.id));
  const [typed, setTyped] = useState(search.model);
  const model = typed ?? named.data?.models[0] ?? '';
  const say = (change: PlaygroundSearch) =>
    go({ ...at.playground(), search: { ...search, ...change } }, { replace: true });
  return {
    provider,
    model,
    models: named.data?.models ?? [],
    problem: named.data?.problem ?? named.error?.message,
    because: model === '' ? 'Name a model first.' : undefined,
    chooseProvider: (id: string) => {
      setTyped(undefined);
      const { model: _model, ...rest } = search;
      go({ ...at.playground(), search: { ...rest, provider: id } }, { replace: true });
    },
    chooseModel: (name: string) => {
      setTyped(name);
      say({ model: name });
    },
  };
}

interface ModelChoiceProps {
  readonly providers: readonly ModelProvider[];
  readonly choice: Choice;
}

export const ModelChoice = ({ providers, choice }: ModelChoiceProps) => (
  <Card
    title="Model"
    actions={
      <GoTo target={at.settings('providers')} className="text-accent hover:underline">
        Providers
      </GoTo>
    }
  >
    <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
      <SelectField
        label="Provider"
        options={providers.map(({ id, name }) => [id, name] as const)}
        value={choice.provider?.id}
        onChange={({ target }) => choice.chooseProvider(target.value)}
      />
      <TextField
        label="Model"
        list="models-of-provider"
        value={choice.model}
        onChange={({ target }) => choice.chooseModel(target.value)}
        hint={choice.problem}
      />
      <datalist id="models-of-provider">
        {choice.models.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </datalist>
    </div>
  </Card>
);
