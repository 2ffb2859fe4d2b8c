import { Problem } from '@roadstead/kit';
import type { Access } from '@roadstead/contracts';
import { readThread } from '../tools/conversations/get-thread-history.ts';
import { findProjectIds } from '../tools/runs/project-lookup.ts';
import { findByIdOrName } from '../tools/name-lookup.ts';
import type { ReadContext } from '../tools/tool.ts';
import type { ResourceKind, Values } from '../addresses/address-rules.ts';
import { type Complete, completions } from './completions.ts';

/** Something that can be read whole by its address, where tools show only a part. */
export interface Resource {
  readonly kind: ResourceKind;
  readonly title: string;
  readonly description: string;
  readonly access: Access;
  readonly complete: Readonly<Record<string, Complete>>;
  /** @throws Problem and ApiError, like tools */
  readonly read: (values: Readonly<Record<string, string>>, context: ReadContext) => Promise<unknown>;
}

const PAGED = 'in pages by ?page=2, … where it is large';

export const resources: readonly Resource[] = [
  resource('run', {
    title: 'A run, whole',
    description: `Every field of one run with its inputs and outputs uncut, ${PAGED}.`,
    access: 'traces:read',
    complete: { run_id: completions.runs },
    read: async ({ run_id }, { api, signal }) =>
      withoutAbsent(await api.readRun({ params: { run_id }, query: {}, signal })),
  }),
  // Before the project, whose address has the same beginning.
  resource('thread', {
    title: 'A conversation, whole',
    description: `All messages of one thread, uncut, each once and in order, ${PAGED}.`,
    access: 'traces:read',
    complete: { project: completions.projects, thread_id: completions.threads },
    read: async ({ project, thread_id }, context) => {
      const [project_id] = await findProjectIds([project], context);
      const { conversation, turns, has_more } = await readThread(thread_id, project_id, context);
      if (turns === 0) throw new Problem('not_found', 'The project has no such thread.');
      return { thread_id, messages: conversation.messages, has_more };
    },
  }),
  resource('project', {
    title: 'A tracing project',
    description: 'One project with its statistics: runs, errors, latency, tokens, costs and feedback.',
    access: 'traces:read',
    complete: { project: completions.projects },
    read: async ({ project }, context) => {
      const id = await findProjectIds([project], context);
      const [found] = await context.api.listSessions({
        query: { id, include_stats: 'true', limit: 1 },
        signal: context.signal,
      });
      return withoutAbsent(found ?? {});
    },
  }),
  resource('prompt', {
    title: 'A prompt, whole',
    description:
      'A version of a prompt, the newest unless named, with its template as data: name, name:version or owner/name with the slash written as %2F.',
    access: 'prompts:read',
    complete: { prompt: completions.prompts },
    read: async ({ prompt }, { api, signal }) => {
      const [name = '', commit = 'latest'] = prompt.split(':', 2);
      const [repo = '', owner = '-'] = name.split('/').toReversed();
      const params = { owner, repo };
      const { repo: about } = await api.readPrompt({ params, signal });
      const isUnwritten = about.num_commits === 0 && commit === 'latest';
      const version = isUnwritten
        ? undefined
        : await api.readPromptCommit({ params: { ...params, commit }, query: {}, signal });
      return { ...withoutAbsent(about), latest_commit_manifest: undefined, version };
    },
  }),
  resource('dataset', {
    title: 'A dataset with its examples',
    description: `One dataset and its first hundred examples, uncut, ${PAGED}.`,
    access: 'datasets:read',
    complete: { dataset: completions.datasets },
    read: async ({ dataset }, { api, signal }) => {
      const found = await findByIdOrName(dataset, {
        byId: (id) => api.listDatasets({ query: { id: [id], limit: 1 }, signal }),
        byName: (name) => api.listDatasets({ query: { name, limit: 1 }, signal }),
      });
      if (found === undefined) throw new Problem('not_found', 'No dataset has this name or id.');
      const examples = await api.listExamples({ query: { dataset: found.id, limit: 100 }, signal });
      return { ...withoutAbsent(found), examples: examples.map(withoutAbsent) };
    },
  }),
  resource('example', {
    title: 'An example, whole',
    description: `One example of a dataset, uncut, ${PAGED}.`,
    access: 'datasets:read',
    complete: {},
    read: async ({ example_id }, { api, signal }) =>
      withoutAbsent(await api.readExample({ params: { example_id }, query: {}, signal })),
  }),
];

function resource<K extends ResourceKind>(
  kind: K,
  written: Omit<Resource, 'kind' | 'read'> & {
    readonly read: (values: Values<K>, context: ReadContext) => Promise<unknown>;
  },
): Resource {
  return { kind, ...written, read: (values, context) => written.read(values, context) };
}

/** Null members carry no more information than absent ones. */
function withoutAbsent(found: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== null));
}
