import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readGraphConfig } from './project-facts.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'project-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const config = JSON.stringify({ graphs: { agent: './agent.js:graph' }, env: { TOKEN: 'canary' } });

test('when a link leads to the langgraph.json of another project, then it is not read', async () => {
  const others = await mkdtemp(join(tmpdir(), 'others-'));
  await writeFile(join(others, 'langgraph.json'), config);
  await symlink(join(others, 'langgraph.json'), join(folder, 'langgraph.json'));
  await expect(readGraphConfig(folder, 'langgraph.json')).rejects.toThrow('There is no langgraph.json');
  await rm(others, { recursive: true });
});

test('when a build made langgraph.json a link within the project, then it is read', async () => {
  await writeFile(join(folder, 'made.json'), config);
  await symlink('made.json', join(folder, 'langgraph.json'));
  expect(await readGraphConfig(folder, 'langgraph.json')).toMatchObject({ env: { TOKEN: 'canary' } });
});
