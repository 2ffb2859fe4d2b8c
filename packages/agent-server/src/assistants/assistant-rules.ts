import { malformed } from '@roadstead/kit';
import { canonicalText } from '../json/json-text.ts';
import type { Assistant, AssistantContent, Json } from './assistant.ts';

/** Rules for making and changing assistants. Pure. */

/** The metadata of the assistants that graphs have of their own. */
export const SYSTEM = { created_by: 'system' } as const;

export const isOfSystem = ({ metadata }: Pick<Assistant, 'metadata'>) =>
  metadata['created_by'] === SYSTEM.created_by;

export interface AssistantChange {
  readonly graph_id?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly config?: Json | null | undefined;
  readonly context?: Json | null | undefined;
  readonly metadata?: Json | null | undefined;
}

/**
 * Keeps `config.configurable`, which older graphs read, and the context, which newer ones read, equal whichever a
 * client gives.
 * @throws Problem `malformed` where they contradict each other
 */
function inStep({ config, context }: Pick<AssistantChange, 'config' | 'context'>): {
  readonly config?: Json;
  readonly context?: Json;
} {
  const configurable = configurableOf(config);
  if (configurable !== undefined && context && canonicalText(configurable) !== canonicalText(context))
    throw malformed(
      ['body', 'context'],
      'must not be given beside config.configurable: they stand for the same',
    );
  if (context) return { config: { ...config, configurable: context }, context };
  return {
    ...(config ? { config: withoutNulls(config) } : {}),
    ...(configurable === undefined ? {} : { context: configurable }),
  };
}

function configurableOf(config: Json | null | undefined): Json | undefined {
  const configurable = config?.['configurable'];
  return typeof configurable === 'object' && configurable !== null && Object.keys(configurable).length > 0
    ? (configurable as Json)
    : undefined;
}

const withoutNulls = (json: Json): Json =>
  Object.fromEntries(Object.entries(json).filter(([, value]) => value !== null && value !== undefined));

/** The content of an assistant's first version. */
export function contentOf(given: AssistantChange & { readonly graph_id: string }): AssistantContent {
  return {
    graph_id: given.graph_id,
    name: given.name ?? 'Untitled',
    description: given.description ?? null,
    config: {},
    context: {},
    ...inStep(given),
    metadata: given.metadata ?? {},
  };
}

/** The content of the next version: metadata is merged, absent fields stay. A configuration is replaced whole. */
export function changed(before: AssistantContent, change: AssistantChange): AssistantContent {
  const given = inStep(change);
  return {
    graph_id: change.graph_id ?? before.graph_id,
    name: change.name ?? before.name,
    description: change.description ?? before.description,
    config: given.config ?? before.config,
    context: given.context ?? (change.config ? {} : before.context),
    metadata: { ...before.metadata, ...change.metadata },
  };
}
