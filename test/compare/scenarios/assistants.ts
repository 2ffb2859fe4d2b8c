import type { Scenario } from '../calls/call.ts';
import { madeBy, NOBODY } from './says.ts';

const mine = madeBy('assistants').metadata;
const graphs = ['starter', 'tools', 'subgraphs', 'functional', 'interrupts', 'notes', 'streaming', 'errors'];

export const assistants: readonly Scenario[] = [
  {
    name: 'assistants of graphs',
    project: 'open',
    calls: [
      {
        method: 'assistants.search',
        with: { graph_id: 'starter', metadata: { created_by: 'system' } },
        keep: 'found',
      },
      {
        method: 'assistants.search',
        with: { metadata: { created_by: 'system' }, limit: 20, sort_by: 'graph_id', sort_order: 'asc' },
      },
      {
        method: 'assistants.search',
        with: {
          metadata: { created_by: 'system' },
          limit: 2,
          offset: 2,
          sort_by: 'name',
          sort_order: 'desc',
        },
      },
      {
        method: 'assistants.search',
        with: { graph_id: 'starter', metadata: { created_by: 'system' }, select: ['graph_id', 'name'] },
      },
      { method: 'assistants.search', with: { graph_id: 'nothing' } },
      { method: 'assistants.count', with: { metadata: { created_by: 'system' } } },
      { method: 'assistants.get', at: ['starter'] },
      { method: 'assistants.get', at: [NOBODY] },
      { method: 'assistants.get', at: ['nothing'] },
      { method: 'assistants.get_schemas', at: ['starter'] },
      ...graphs.flatMap((graph) => [
        {
          method: 'assistants.search',
          with: { graph_id: graph, metadata: { created_by: 'system' } },
          keep: graph,
        } as const,
        { method: 'assistants.get_graph', at: [`$${graph}.0.assistant_id`] } as const,
        { method: 'assistants.get_schemas', at: [`$${graph}.0.assistant_id`] } as const,
      ]),
      { method: 'assistants.get_graph', at: ['$subgraphs.0.assistant_id'], with: { xray: true } },
      { method: 'assistants.get_graph', at: ['$subgraphs.0.assistant_id'], with: { xray: 1 } },
      { method: 'assistants.get_graph', at: [NOBODY] },
      { method: 'assistants.get_schemas', at: [NOBODY] },
      { method: 'assistants.get_subgraphs', at: ['$subgraphs.0.assistant_id'] },
      { method: 'assistants.get_subgraphs', at: ['$subgraphs.0.assistant_id'], with: { recurse: true } },
      { method: 'assistants.get_subgraphs', at: ['$subgraphs.0.assistant_id'], with: { namespace: 'check' } },
      { method: 'assistants.get_subgraphs', at: ['$starter.0.assistant_id'] },
      { method: 'assistants.get_versions', at: ['$found.0.assistant_id'] },
    ],
  },
  {
    name: 'assistants of clients',
    project: 'open',
    calls: [
      {
        method: 'assistants.create',
        at: ['starter'],
        with: { name: 'Loud', description: 'It shouts.', metadata: mine, context: { tone: 'loud' } },
        keep: 'one',
      },
      { method: 'assistants.get', at: ['$one.assistant_id'] },
      { method: 'assistants.create', at: ['starter'], with: { assistant_id: '$one.assistant_id' } },
      {
        method: 'assistants.create',
        at: ['starter'],
        with: { assistant_id: '$one.assistant_id', if_exists: 'do_nothing' },
      },
      { method: 'assistants.create', at: ['nothing'], with: { metadata: mine } },
      {
        method: 'assistants.update',
        at: ['$one.assistant_id'],
        with: { name: 'Louder', metadata: { more: 1 } },
      },
      { method: 'assistants.update', at: ['$one.assistant_id'], with: { context: { tone: 'plain' } } },
      { method: 'assistants.update', at: [NOBODY], with: { name: 'Nobody' } },
      { method: 'assistants.get_versions', at: ['$one.assistant_id'] },
      { method: 'assistants.get_versions', at: ['$one.assistant_id'], with: { limit: 1, offset: 1 } },
      { method: 'assistants.set_latest', at: ['$one.assistant_id', 1] },
      { method: 'assistants.set_latest', at: ['$one.assistant_id', 9] },
      {
        method: 'runs.wait',
        at: [null, '$one.assistant_id'],
        with: { input: { messages: [{ role: 'user', content: 'hello' }] } },
      },
      {
        method: 'assistants.create',
        at: ['tools'],
        with: {
          name: 'Other',
          metadata: mine,
          config: { recursion_limit: 7, tags: ['a'], configurable: { size: 2 } },
        },
      },
      { method: 'assistants.create', at: ['starter'], with: { metadata: mine } },
      { method: 'assistants.search', with: { metadata: mine, sort_by: 'name', sort_order: 'asc' } },
      { method: 'assistants.search', with: { metadata: mine, name: 'lou' } },
      { method: 'assistants.search', with: { metadata: mine, graph_id: 'tools' } },
      { method: 'assistants.count', with: { metadata: mine } },
      { method: 'assistants.count', with: { metadata: mine, graph_id: 'tools' } },
      { method: 'assistants.delete', at: ['$one.assistant_id'] },
      { method: 'assistants.get', at: ['$one.assistant_id'] },
      { method: 'assistants.delete', at: [NOBODY] },
      { method: 'assistants.search', with: { limit: 0 } },
      { method: 'assistants.search', with: { sort_by: 'nothing' } },
    ],
  },
];
