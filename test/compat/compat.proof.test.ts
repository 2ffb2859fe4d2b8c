import { expect, test } from 'vitest';
import { installVersion, type InstallOptions } from './install-version.ts';
import { isGood, tryVersion } from './try-version.ts';
import { javaScriptVersions, type LangGraphVersion, pythonVersions } from './versions.ts';

/** The ends of the table of JavaScript, which `npm run compat` tries whole, and all of the table of Python. */
const [oldest] = javaScriptVersions;
const withoutStore = javaScriptVersions.filter(({ checkpoint }) => checkpoint !== undefined).at(-1) ?? oldest;
const newest = javaScriptVersions.at(-1) ?? oldest;

async function failuresOf(version: LangGraphVersion, options: InstallOptions = {}) {
  await using installed = await installVersion(version, options);
  return (await tryVersion(installed)).filter((trial) => !isGood(trial));
}

test.each<[string, NonNullable<InstallOptions['manager']>, LangGraphVersion]>([
  [oldest.langgraph, 'npm', oldest],
  [withoutStore.langgraph, 'npm', withoutStore],
  [newest.langgraph, 'npm', newest],
  [newest.langgraph, 'pnpm', newest],
])('when an agent of LangGraph.js %s is installed by %s, then it runs', async (_name, manager, version) => {
  expect(await failuresOf(version, { manager })).toEqual([]);
});

test.each(pythonVersions.map((version) => [version.langgraph, version] as const))(
  'when an agent of LangGraph %s for Python is installed, then it runs',
  async (_name, version) => {
    expect(await failuresOf(version)).toEqual([]);
  },
);

test.for(['3.12', '3.13', '3.14'])(
  'when a machine has Python %s, then an agent of the newest LangGraph runs on it',
  async (python, { skip }) => {
    const version = pythonVersions.at(-1) ?? pythonVersions[0];
    const failures = await failuresOf(version, { python }).catch((error: Error) => {
      if (!/this machine has/.test(error.message)) throw error;
      process.stderr.write(`NOT TESTED: ${error.message}\n`);
      return skip(error.message);
    });
    expect(failures).toEqual([]);
  },
);
