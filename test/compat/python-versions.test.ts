import { expect, test } from 'vitest';
import { installVersion } from './install-version.ts';
import { isGood, tryVersion } from './try-version.ts';
import { pythonVersions } from './versions.ts';

/** The ends of the table; `npm run compat` and the proof try all of it. */
const ends = [pythonVersions[0], pythonVersions.at(-1) ?? pythonVersions[0]];

test.each(ends.map((version) => [version.langgraph, version] as const))(
  'when an agent of LangGraph %s for Python is installed, then it runs',
  async (_name, version) => {
    await using installed = await installVersion(version);
    expect((await tryVersion(installed)).filter((trial) => !isGood(trial))).toEqual([]);
  },
);
