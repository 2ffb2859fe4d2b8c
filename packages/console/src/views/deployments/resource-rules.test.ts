import { expect, test } from 'vitest';
import { amountsOf, figuresOf, specWith } from './resource-rules.ts';

test('when amounts are changed, then the rest stays, and an empty one is the default', () => {
  const spec = { cpu: 1, memory_mb: 512, labels: { a: 'b' } };
  expect(specWith(spec, { cpu: '2.5', memory_mb: '', max_scale: 'many' })).toEqual({
    cpu: 2.5,
    memory_mb: null,
    labels: { a: 'b' },
    max_scale: 'many',
  });
  expect(amountsOf(spec)).toMatchObject({ cpu: '1', memory_mb: '512', max_scale: '' });
});

test.each([
  [{ lg_api_graph_hosts: { samples: [{ value: 2 }] } }, [{ label: 'Graph hosts', value: '2' }]],
  [{ lg_api_graph_hosts: { samples: [] } }, []],
  ['text', []],
  [undefined, []],
])('when the metrics are %j, then the figures are %j', (metrics, shown) => {
  expect(figuresOf(metrics)).toEqual(shown);
});
