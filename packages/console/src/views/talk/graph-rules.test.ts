import { expect, test } from 'vitest';
import { drawingOf, litBy } from './graph-rules.ts';

const graph = {
  nodes: ['__start__', 'plan', 'research:search', 'research:read', '__end__'].map((id) => ({ id })),
  edges: [
    { source: '__start__', target: 'plan' },
    { source: 'plan', target: 'research:search', conditional: true, data: 'needs facts' },
    { source: 'research:search', target: 'research:read' },
    { source: 'research:read', target: '__end__' },
  ],
};
const idsOf = ({ nodes, edges }: ReturnType<typeof drawingOf>) => [
  nodes.map(({ id, kind, parent }) => [id, kind, parent]),
  edges.map(({ id }) => id),
];

test('when subgraphs are open, then they are groups around their nodes', () => {
  expect(idsOf(drawingOf(graph, new Set()))).toEqual([
    [
      ['__start__', 'start', undefined],
      ['plan', 'node', undefined],
      ['research', 'group', undefined],
      ['research:search', 'node', 'research'],
      ['research:read', 'node', 'research'],
      ['__end__', 'end', undefined],
    ],
    ['__start__→plan', 'plan→research:search', 'research:search→research:read', 'research:read→__end__'],
  ]);
});

test('when a subgraph is closed, then its edges lead to it as a whole', () => {
  expect(idsOf(drawingOf(graph, new Set(['research'])))).toEqual([
    [
      ['__start__', 'start', undefined],
      ['plan', 'node', undefined],
      ['research', 'closed', undefined],
      ['__end__', 'end', undefined],
    ],
    ['__start__→plan', 'plan→research', 'research→__end__'],
  ]);
});

test('when a node within a subgraph runs, then it and its subgraph are lit', () => {
  expect([...litBy(['research:search'])]).toEqual(['research:search', 'research']);
});
