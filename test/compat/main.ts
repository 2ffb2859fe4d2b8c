import { commandOptions } from '@roadstead/testing/processes';
import { installVersion, type InstallOptions } from './install-version.ts';
import { isGood, tryVersion } from './try-version.ts';
import { type LangGraphVersion, langGraphVersions } from './versions.ts';

const usage = `npm run compat -- [javascript|python] [VERSION…] [--python VERSION]

  Deploys an agent with every version of LangGraph of the tables, or with those that are named, and says what fails.

  --python VERSION   the Python on which the versions for Python are tried, such as 3.13
`;

const { values, positionals } = commandOptions(usage, {
  options: { python: { type: 'string' } },
  allowPositionals: true,
});
const named = positionals.filter((one) => /^\d/.test(one));
const languages = positionals.filter((one) => !/^\d/.test(one));
const versions = langGraphVersions.filter(
  ({ language, langgraph }) =>
    (named.length === 0 || named.includes(langgraph)) &&
    (languages.length === 0 || languages.includes(language)),
);
const options = values.python === undefined ? {} : { python: values.python };
for (const version of versions) {
  const failures = await failuresOf(version, options);
  const { language, langgraph } = version;
  process.stdout.write(
    `${language} ${langgraph}: ${failures.length === 0 ? 'works' : failures.join('; ')}\n`,
  );
  if (failures.length > 0) process.exitCode = 1;
}
if (versions.length === 0) {
  const tried = langGraphVersions.map(({ language, langgraph }) => `${language} ${langgraph}`);
  process.stderr.write(`None of these is tried; those that are: ${tried.join(', ')}.\n`);
  process.exitCode = 1;
}

async function failuresOf(version: LangGraphVersion, wanted: InstallOptions): Promise<string[]> {
  try {
    await using installed = await installVersion(version, wanted);
    const trials = await tryVersion(installed);
    return trials
      .filter((trial) => !isGood(trial))
      .map(
        ({ name, expected, got }) => `${name}: ${JSON.stringify(got)} instead of ${JSON.stringify(expected)}`,
      );
  } catch (error) {
    return [String(error)];
  }
}
