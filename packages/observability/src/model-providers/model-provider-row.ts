import type { ProviderKind } from '@roadstead/contracts/observability';
import type { RowKey } from '../values/keys.ts';

/** A provider as its row in SQL; its key is sealed. */
export interface ModelProviderRow extends RowKey {
  readonly name: string;
  readonly kind: ProviderKind;
  readonly base_url: string;
  readonly sealed_key: string | null;
  readonly models: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
}
