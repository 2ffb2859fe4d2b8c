import { glob, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

/** A group of endpoints and the routes that serve it bear one name: `webhooks.ts` and `webhooks-routes.ts`. */

const packages = join(import.meta.dirname, '../../packages');
const services = ['agent-server', 'control-plane', 'identity', 'observability'];

const filesOf = async (folder: string, pattern: string) =>
  (await Array.fromAsync(glob(pattern, { cwd: join(packages, folder) }))).filter(
    (file) => !file.endsWith('.test.ts'),
  );

const isEndpoint = (value: unknown) =>
  typeof value === 'object' && value !== null && 'mounts' in value && 'method' in value;
const isServed = (value: unknown) => isEndpoint(value) && !('refused' in (value as object));

/** Whether an export of a module is a group with an endpoint that is served. */
const isGroup = (exported: unknown) =>
  typeof exported === 'object' &&
  exported !== null &&
  Object.values(exported).every(isEndpoint) &&
  Object.values(exported).some(isServed);

async function groupFiles(service: string): Promise<string[]> {
  const folder = `contracts/src/${service}`;
  const found = await Promise.all(
    (await filesOf(folder, '**/*.ts')).map(async (file) => {
      const module = (await import(pathToFileURL(join(packages, folder, file)).href)) as object;
      const groups = Object.values(module).filter(isGroup);
      return groups.length === 1 ? [basename(file, '.ts')] : [];
    }),
  );
  return found.flat().filter((name) => name !== 'contract');
}

test.each(services)(
  'when %s serves a group of endpoints, then its routes have the name of the group',
  async (service) => {
    const groups = await groupFiles(service);
    const routes = await filesOf(`${service}/src`, '**/*-routes.ts');
    expect(routes.map((file) => basename(file, '-routes.ts')).toSorted()).toEqual(groups.toSorted());
    expect(groups.length).toBeGreaterThan(7);
  },
);

test('when routes name their operations, then by a group, and never by a list of their own', async () => {
  const files = await filesOf('.', '*/src/**/*-routes.ts');
  const listed: string[] = [];
  for (const file of files)
    if (/Pick<\s*Handlers</.test(await readFile(join(packages, file), 'utf8'))) listed.push(file);
  expect(listed).toEqual([]);
  expect(files.length).toBeGreaterThan(80);
});
