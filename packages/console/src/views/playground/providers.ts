import { queryOptions } from '@tanstack/react-query';
import { traces } from '../../api/clients.ts';

export type ModelProvider = Awaited<ReturnType<typeof traces.readModelProvider>>;
export type ProviderKind = ModelProvider['kind'];

export const kindNames: Readonly<Record<ProviderKind, string>> = {
  openai: 'OpenAI, and servers that speak as it does',
  anthropic: 'Anthropic',
  google: 'Google',
};

export const providersQuery = queryOptions({
  queryKey: ['model providers', 'list'],
  queryFn: async ({ signal }) => (await traces.listModelProviders({ signal })).items,
});

/** The models that a provider names, or why it names none. */
export const modelsQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: ['model providers', id, 'models'],
    queryFn: ({ signal }) => traces.listProviderModels({ params: { model_provider_id: id ?? '' }, signal }),
    enabled: id !== undefined,
    staleTime: 60_000,
    meta: { silent: true },
  });
