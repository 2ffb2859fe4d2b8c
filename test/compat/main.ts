import { installVersion, isGood, tryVersion } from './try-version.ts';
import { type LangGraphVersion, langGraphVersions } from './versions.ts';

/** `npm run compat [version…]`: every version of the table, or those that are named, and what fails with which. */

const wanted = process.argv.slice(2);
const versions = langGraphVersions.filter(
  ({ langgraph }) => wanted.length === 0 || wanted.includes(langgraph),
);
for (const version of versions) {
  const failures = await failuresOf(version);
  process.stdout.write(`${version.langgraph}: ${failures.length === 0 ? 'works' : failures.join('; ')}\n`);
  if (failures.length > 0) process.exitCode = 1;
}
if (versions.length === 0) {
  process.stderr.write(
    `None of these is tried; those that are: ${langGraphVersions.map((one) => one.langgraph).join(', ')}.\n`,
  );
  process.exitCode = 1;
}

async function failuresOf(version: LangGraphVersion): Promise<string[]> {
  try {
    await using installed = await installVersion(version);
    const trials = await tryVersion(installed.folder, version);
    return trials
      .filter((trial) => !isGood(trial))
      .map(
        ({ name, expected, got }) => `${name}: ${JSON.stringify(got)} instead of ${JSON.stringify(expected)}`,
      );
  } catch (error) {
    return [String(error)];
  }
}
