import { expect, test } from 'vitest';
import { drawFloors, storeysOf } from './floor-picture.ts';

const imports = (...pairs: readonly [from: string, to: string][]) =>
  pairs.map(([from, to]) => ({ from, to, file: `${from}/a.ts`, imported: `${to}/b.ts` }));

test('when folders import each other, then each stands above all that it imports', () => {
  const some = imports(['rules', 'values'], ['routes', 'values'], ['.', 'routes'], ['.', 'rules']);
  expect(storeysOf(['values', 'claims', 'rules', 'routes', '.'], some)).toEqual([
    ['values', 'claims'],
    ['rules', 'routes'],
    ['.'],
  ]);
});

test('when a package is drawn, then each folder has a box, which says what it imports', () => {
  const floors = ['values', ...Array.from({ length: 30 }, (_, at) => `folder-${at}`), '.'];
  const picture = drawFloors({ name: 'sample', floors, imports: imports(['.', 'values']) });
  expect(picture.match(/class="box"/g)).toHaveLength(floors.length);
  expect(picture).toContain('<title>src imports values</title>');
  const rights = [...picture.matchAll(/class="box" x="([\d.]+)" y="[\d.]+" width="(\d+)"/g)].map(
    ([, x, width]) => Number(x) + Number(width),
  );
  expect(Math.max(...rights)).toBeLessThanOrEqual(960 - 16);
});
