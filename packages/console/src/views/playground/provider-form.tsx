import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { traces } from '../../api/clients.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { CheckField, SelectField, TextArea, TextField } from '../../ui/fields.tsx';
import { say } from '../../ui/toasts.tsx';
import { kindNames, type ModelProvider, type ProviderKind } from './providers.ts';

interface ProviderFormProps {
  /** The one to change; absent for a new one. */
  readonly provider?: ModelProvider | undefined;
  readonly onClose: () => void;
}

const formOf = (provider: ModelProvider | undefined) => ({
  name: provider?.name ?? '',
  kind: provider?.kind ?? 'openai',
  base_url: provider?.base_url ?? '',
  api_key: '',
  forgets_key: false,
  models: provider?.models.join('\n') ?? '',
});
type Form = ReturnType<typeof formOf>;

/** Adds or changes a provider of models. Its key is written, and never read back. */
export function ProviderForm({ provider, onClose }: ProviderFormProps) {
  const [form, setForm] = useState(() => formOf(provider));
  const client = useQueryClient();
  const set = (change: Partial<Form>) => setForm({ ...form, ...change });
  const save = async () => {
    await send(form, provider);
    await client.invalidateQueries({ queryKey: ['model providers'] });
    say({ text: `${form.name} is saved.` });
  };
  return (
    <FormDialog
      title={provider === undefined ? 'New model provider' : `Change ${provider.name}`}
      isOpen
      onClose={onClose}
      submit="Save the provider"
      onSubmit={save}
    >
      <TextField
        label="Name"
        required
        value={form.name}
        onChange={({ target }) => set({ name: target.value })}
      />
      <SelectField
        label="API"
        options={Object.entries(kindNames)}
        value={form.kind}
        disabled={provider !== undefined}
        onChange={({ target }) => set({ kind: target.value as ProviderKind })}
      />
      <TextField
        label="Address"
        type="url"
        placeholder="that of the service itself"
        hint="For a server of your own, such as http://127.0.0.1:11434/v1. Another address needs the key again."
        value={form.base_url}
        onChange={({ target }) => set({ base_url: target.value })}
      />
      <KeyFields form={form} set={set} hasKey={provider?.has_api_key === true} />
      <TextArea
        label="Models"
        hint="One a line; those that the provider names itself are added."
        rows={3}
        value={form.models}
        onChange={({ target }) => set({ models: target.value })}
      />
    </FormDialog>
  );
}

interface KeyFieldsProps {
  readonly form: Form;
  readonly set: (change: Partial<Form>) => void;
  readonly hasKey: boolean;
}

const KeyFields = ({ form, set, hasKey }: KeyFieldsProps) => (
  <>
    <TextField
      label="API key"
      type="password"
      autoComplete="new-password"
      hint={hasKey ? 'A key is kept; leave this empty to keep it.' : 'It is sealed, and never shown again.'}
      value={form.api_key}
      disabled={form.forgets_key}
      onChange={({ target }) => set({ api_key: target.value })}
    />
    {hasKey && (
      <CheckField
        label="Remove the key"
        checked={form.forgets_key}
        onChange={({ target }) => set({ forgets_key: target.checked })}
      />
    )}
  </>
);

async function send(form: Form, provider: ModelProvider | undefined): Promise<void> {
  const { name, kind, base_url, api_key, forgets_key } = form;
  const models = form.models
    .split('\n')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const said = {
    name,
    models,
    ...(base_url !== '' && { base_url }),
    ...(api_key !== '' && { api_key }),
  };
  if (provider === undefined) await traces.createModelProvider({ body: { ...said, kind } });
  else
    await traces.patchModelProvider({
      params: { model_provider_id: provider.id },
      body: { ...said, ...(forgets_key && { api_key: null }) },
    });
}
