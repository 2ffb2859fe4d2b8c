import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { toolsets } from './index.ts';

const tools = Object.values(toolsets).flat();
const folder = new URL('../../snapshots/', import.meta.url);

test.each(tools.map((tool) => [tool.name, tool] as const))(
  'when %s is listed, then it says of itself what its snapshot says',
  async (name, { title, description, input_schema, output_schema }) => {
    const said = { name, title, description, input_schema, output_schema };
    // `npx vitest run packages/mcp-server -u` rewrites it; the reviewer reads the difference.
    await expect(`${JSON.stringify(said, null, 2)}\n`).toMatchFileSnapshot(
      new URL(`${name}.json`, folder).pathname,
    );
  },
);

test('when the snapshots are listed, then each tool has one, and no other is there', async () => {
  expect((await readdir(folder)).toSorted()).toEqual(tools.map(({ name }) => `${name}.json`).toSorted());
});

test('when schemas are published, then they are objects without unions, all inputs described', async () => {
  for (const { name } of tools) {
    const snapshot = JSON.parse(await readFile(new URL(`${name}.json`, folder), 'utf8')) as {
      input_schema: { type: string; properties: Record<string, { description?: string }> };
    };
    expect(snapshot.input_schema.type).toBe('object');
    expect(JSON.stringify(snapshot.input_schema)).not.toMatch(/anyOf|oneOf|allOf|\$ref/);
    for (const property of Object.values(snapshot.input_schema.properties))
      expect(property.description).toBeTruthy();
  }
});
