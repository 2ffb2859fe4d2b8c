import type { ModelProvider } from '@roadstead/contracts/observability';
import type { OutputValue } from '@roadstead/contracts';
import type { modelProviders } from '@roadstead/contracts/observability';
import { malformed, type SecretBox } from '@roadstead/kit';
import type { OpenProvider } from '../models/model-call.ts';
import type { RowKey } from '../values/keys.ts';
import type { ModelProviderRow } from './model-provider-row.ts';

type ProviderChange = OutputValue<NonNullable<typeof modelProviders.patchModelProvider.body>>;

const place = ({ workspace_id, id }: RowKey) => `model-provider/${workspace_id}/${id}`;

export function sealedKey(
  box: SecretBox,
  { api_key, ...key }: RowKey & { readonly api_key: string | null | undefined },
): string | null {
  return api_key === null || api_key === undefined ? null : box.seal(api_key, place(key));
}

export function openProvider(box: SecretBox, row: ModelProviderRow): OpenProvider {
  const { kind, base_url, sealed_key } = row;
  return { kind, base_url, api_key: sealed_key === null ? null : box.open(sealed_key, place(row)) };
}

export function providerAnswer(row: ModelProviderRow): ModelProvider {
  const { id, name, kind, base_url, sealed_key, models, created_at, updated_at } = row;
  const has_api_key = sealed_key !== null;
  return { id, name, kind, base_url, has_api_key, models: [...models], created_at, updated_at };
}

/**
 * The provider after a change. Another address is sent no key that was meant for the one before: whoever changes it must
 * know the key.
 * @throws Problem
 */
export function changedProvider(
  box: SecretBox,
  row: ModelProviderRow,
  change: ProviderChange,
): ModelProviderRow {
  const { name, base_url, api_key, models } = change;
  const moves = base_url !== undefined && base_url !== row.base_url;
  if (moves && row.sealed_key !== null && api_key === undefined)
    throw malformed(['body', 'api_key'], 'is required with another base_url: send the key again, or null');
  return {
    ...row,
    name: name ?? row.name,
    base_url: base_url ?? row.base_url,
    sealed_key: api_key === undefined ? row.sealed_key : sealedKey(box, { ...row, api_key }),
    models: models ?? row.models,
  };
}
