import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { Timestamp, Uuid } from '../../values/query-values.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { v2 } from '../mounts.ts';

/** Providers of models that a workspace calls by keys of its own. No answer shows a key. */

export const ProviderKind = z.enum(['openai', 'anthropic', 'google']).meta({ id: 'ModelProviderKind' });
export type ProviderKind = z.output<typeof ProviderKind>;

const ModelProvider = z
  .object({
    id: Uuid,
    name: z.string(),
    /** The API that it speaks: chat completions of OpenAI, messages of Anthropic, `generateContent` of Google. */
    kind: ProviderKind,
    base_url: z.string(),
    has_api_key: z.boolean(),
    /** The models that the workspace listed itself. */
    models: z.array(z.string()),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'ModelProvider' });
export type ModelProvider = z.output<typeof ModelProvider>;

const Name = WellFormedText.min(1).max(200);
const BaseUrl = WellFormedText.max(2000).refine(
  isBaseUrl,
  'must be an address with http or https, without a query',
);
/** Sent as a header: what it may hold is what headers may. */
const ApiKey = WellFormedText.min(1)
  .max(8192)
  .regex(/^[\x21-\x7e]+$/, 'must be of visible ASCII characters');
const Models = z.array(WellFormedText.min(1).max(500)).max(500);

function isBaseUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
}

const params = z.object({ model_provider_id: Uuid });

export const modelProviders = {
  listModelProviders: endpoint({
    ...v2,
    method: 'GET',
    path: '/v2/model-providers',
    summary: 'List the providers of models that the workspace has keys of, by name',
    access: 'prompts:read',
    success: { status: 200, body: z.object({ items: z.array(ModelProvider), next_cursor: z.null() }) },
  }),
  createModelProvider: endpoint({
    ...v2,
    method: 'POST',
    path: '/v2/model-providers',
    summary: 'Add a provider of models; its key is sealed, and no answer shows it again',
    access: 'prompts:admin',
    errors: [409],
    body: z.object({
      name: Name,
      kind: ProviderKind,
      /** That of the service itself where absent. An address of a private network must be allowed by the operator. */
      base_url: BaseUrl.nullish(),
      /** Absent where the server asks for none. */
      api_key: ApiKey.nullish(),
      models: Models.nullish(),
    }),
    success: { status: 201, body: ModelProvider },
    example: { body: { name: 'OpenAI', kind: 'openai', api_key: 'sk-example', models: ['gpt-4.1-mini'] } },
  }),
  readModelProvider: endpoint({
    ...v2,
    method: 'GET',
    path: '/v2/model-providers/{model_provider_id}',
    summary: 'Read a provider of models',
    access: 'prompts:read',
    params,
    success: { status: 200, body: ModelProvider },
  }),
  patchModelProvider: endpoint({
    ...v2,
    method: 'PATCH',
    path: '/v2/model-providers/{model_provider_id}',
    summary: 'Change a provider of models; another address needs the key again, and null removes the key',
    access: 'prompts:admin',
    errors: [409],
    params,
    body: z.object({
      name: Name.optional(),
      base_url: BaseUrl.optional(),
      api_key: ApiKey.nullable().optional(),
      models: Models.optional(),
    }),
    success: { status: 200, body: ModelProvider },
    example: { body: { models: ['gpt-4.1', 'gpt-4.1-mini'] } },
  }),
  deleteModelProvider: endpoint({
    ...v2,
    method: 'DELETE',
    path: '/v2/model-providers/{model_provider_id}',
    summary: 'Remove a provider of models and its key',
    access: 'prompts:admin',
    params,
    success: { status: 204 },
  }),
  listProviderModels: endpoint({
    ...v2,
    method: 'GET',
    path: '/v2/model-providers/{model_provider_id}/models',
    summary: 'List the models that the provider names, and those that the workspace listed itself',
    access: 'prompts:read',
    params,
    success: {
      status: 200,
      body: z.object({
        models: z.array(z.string()),
        /** The sentence why the provider named none; null where it did. */
        problem: z.string().nullable(),
      }),
    },
  }),
};
