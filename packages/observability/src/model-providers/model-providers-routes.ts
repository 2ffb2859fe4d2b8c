import type { modelProviders } from '@roadstead/contracts/observability';
import type { Handlers } from '@roadstead/http';
import { type SecretBox, uuidv7 } from '@roadstead/kit';
import type { CheckingFetch } from '@roadstead/outbound';
import type { Database } from '@roadstead/postgres';
import type { ModelClient } from '../models/model-client.ts';
import { modelCodecs } from '../models/model-codecs.ts';
import {
  deleteProvider,
  insertProvider,
  listProviders,
  lockProvider,
  readProvider,
  updateProvider,
} from './model-provider-store.ts';
import { changedProvider, openProvider, providerAnswer, sealedKey } from './model-provider-rules.ts';

type ProviderHandlers = Handlers<typeof modelProviders>;

export interface ModelProvidersOf {
  readonly db: Database;
  readonly secret_box: SecretBox;
  readonly models: ModelClient;
  /** Refuses addresses that are not called. */
  readonly check: CheckingFetch['check'];
}

const MOST_PROVIDERS = 100;

export function modelProviderHandlers({ db, secret_box, models, check }: ModelProvidersOf): ProviderHandlers {
  return {
    listModelProviders: async ({ workspace_id }) => ({
      items: (await listProviders(db, { workspace_id })).map(providerAnswer),
      next_cursor: null,
    }),
    createModelProvider: async ({ workspace_id, body }) => {
      const { name, kind, api_key } = body;
      const base_url = body.base_url ?? modelCodecs[kind].default_base_url;
      check(base_url);
      const key = { workspace_id, id: uuidv7() };
      const sealed_key = sealedKey(secret_box, { ...key, api_key });
      const row = { ...key, name, kind, base_url, sealed_key, models: body.models ?? [] };
      return providerAnswer(await insertProvider(db, row, { most: MOST_PROVIDERS }));
    },
    readModelProvider: async ({ workspace_id, params }) =>
      providerAnswer(await readProvider(db, { workspace_id, id: params.model_provider_id })),
    patchModelProvider: async ({ workspace_id, params, body }) => {
      if (body.base_url !== undefined) check(body.base_url);
      const id = params.model_provider_id;
      return db.transaction(async (tx) => {
        const before = await lockProvider(tx, { workspace_id, id });
        return providerAnswer(await updateProvider(tx, changedProvider(secret_box, before, body)));
      });
    },
    deleteModelProvider: async ({ workspace_id, params }) =>
      deleteProvider(db, { workspace_id, id: params.model_provider_id }),
    listProviderModels: async ({ workspace_id, params, signal }) => {
      const row = await readProvider(db, { workspace_id, id: params.model_provider_id });
      const told = await models.listModels(openProvider(secret_box, row), signal);
      const names = 'message' in told ? [] : told;
      return {
        models: [...new Set([...row.models, ...names])],
        problem: 'message' in told ? told.message : null,
      };
    },
  };
}
