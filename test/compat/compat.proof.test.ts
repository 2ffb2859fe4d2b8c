import { expect, test } from 'vitest';
import { installVersion, type Manager, tryVersion } from './try-version.ts';
import { langGraphVersions } from './versions.ts';

/** The ends of the table; `npm run compat` tries all of it. */
const [oldest] = langGraphVersions;
const withoutStore = langGraphVersions.filter(({ checkpoint }) => checkpoint !== undefined).at(-1) ?? oldest;
const newest = langGraphVersions.at(-1) ?? oldest;

test.each<[string, Manager]>([
  [oldest.langgraph, 'npm'],
  [withoutStore.langgraph, 'npm'],
  [newest.langgraph, 'npm'],
  [newest.langgraph, 'pnpm'],
])('when an agent of LangGraph %s is installed by %s, then it runs', async (langgraph, manager) => {
  const version = langGraphVersions.find((one) => one.langgraph === langgraph) ?? oldest;
  await using installed = await installVersion(version, manager);
  const trials = await tryVersion(installed.folder, version);
  expect(Object.fromEntries(trials.map(({ name, got }) => [name, got]))).toEqual(
    Object.fromEntries(trials.map(({ name, expected }) => [name, expected])),
  );
});
