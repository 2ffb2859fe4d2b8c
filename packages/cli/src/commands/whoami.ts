import { createClient, ROADSTEAD_VERSION } from '@roadstead/contracts';
import { platform } from '@roadstead/contracts/platform';
import { safeJson } from '../terminal/safe-text.ts';
import { table } from '../terminal/table.ts';
import { chosenTarget, findTarget } from '../target/target.ts';
import { type Command, targetOptions } from '../command-line/command.ts';

export const whoami: Command = {
  name: 'whoami',
  operands: '',
  summary: 'Show which platform commands talk to, in which workspace, as whom, and what that one may do.',
  options: targetOptions,
  examples: [{ call: 'whoami', does: 'for the platform that commands talk to now' }],
  run: async ({ values, terminal }) => {
    const { by, context } = await chosenTarget(values);
    const { url, identity } = await findTarget(values);
    const { workspace, actor, name, scopes } = await identity.readCaller({});
    const { warnings } = await createClient(platform, { base_url: url }).readReady({});
    const version = await versionOf(url);
    const report = {
      url,
      context,
      workspace,
      actor,
      name,
      scopes,
      version,
      warnings,
      command_version: ROADSTEAD_VERSION,
    };
    if (values['json'] === true) terminal.out(safeJson(report));
    else
      for (const line of table([
        ['platform', `${url}, version ${version} (${context === null ? by : `context ${context}`})`],
        ['workspace', workspace === null ? 'every workspace' : `${workspace.name} (${workspace.id})`],
        ['actor', name === null ? actor : `${name} (${actor})`],
        ['scopes', scopes.join(', ')],
        ['command', `version ${ROADSTEAD_VERSION}`],
        ...warnings.map((warning) => ['warning', warning]),
      ]))
        terminal.out(line);
    return 0;
  },
};

/** The version in its OpenAPI description. */
async function versionOf(url: string): Promise<string> {
  const answer = await fetch(`${url}/openapi/platform.json`);
  const { info } = (await answer.json()) as { readonly info?: { readonly version?: string } };
  return info?.version ?? 'unknown';
}
