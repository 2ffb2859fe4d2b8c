import { appendFile, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Client,
  type ControlPlane,
  createClient,
  type Deployment,
  controlPlane,
} from '@roadstead/contracts';
import { assistantIdOf } from '@roadstead/kit';
import { deploySource, explainFailure, findByName, followRevision } from '../client/deploy-source.ts';
import { targetOf } from '../client/target.ts';
import type { Terminal } from '../client/terminal.ts';
import type { Platform } from './platform.ts';

/** The examples that `up --example` deploys, through the public API like any user. */
const examples = ['support-agent', 'approval-agent'] as const;
const folderOf = (name: string) => fileURLToPath(new URL(`../../../../examples/${name}`, import.meta.url));

/** Each once per data folder: one that was deleted stays away. */
export async function deployExamples(
  platform: Platform,
  folder: string,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const target = targetOf(platform.url, platform.api_key);
  const stamp = join(folder, 'examples');
  const done = new Set((await readFile(stamp, 'utf8').catch(() => '')).split('\n'));
  for (const name of examples.filter((one) => !done.has(one))) {
    signal.throwIfAborted();
    const known = await findByName(target, name);
    if (known?.active_revision_id != null) {
      await appendFile(stamp, `${name}\n`);
      continue;
    }
    terminal.err(`deploying the example ${terminal.bold(name)}`);
    const deployment = await deploySource(
      target,
      {
        folder: folderOf(name),
        name,
        config_path: 'langgraph.json',
        secrets: [],
        install_command: undefined,
        build_command: undefined,
      },
      (line) => terminal.err(`           ${line}`),
    );
    const revision = await followRevision(target, deployment, {
      terminal,
      say: terminal.err,
      logs: false,
      signal,
    });
    if (revision.status === 'DEPLOYED') await appendFile(stamp, `${name}\n`);
    else for (const line of explainFailure(revision)) terminal.err(line);
  }
}

/** What to do next, ready to paste; the key is read from its file. */
export async function nextSteps(platform: Platform, folder: string, terminal: Terminal): Promise<string[]> {
  const key = `$(cat ${quoted(`${folder}/api-key`)})`;
  const client: Client<ControlPlane> = createClient(controlPlane, {
    base_url: platform.url,
    headers: { 'x-api-key': platform.api_key },
  });
  const { resources } = await client.listDeployments({ query: { limit: 20 } });
  const [first] = resources
    .toSorted((one, other) => Number(other.name === examples[0]) - Number(one.name === examples[0]))
    .filter((one) => one.url !== null);
  return [
    '',
    ...(first === undefined
      ? [terminal.bold('Deploy an agent:'), `  ${commandName()} deploy DIR`]
      : talkTo(first, key, terminal)),
    '',
    terminal.bold('Read the traces with an MCP client:'),
    `  claude mcp add --transport http roadstead ${platform.url}/mcp --header "SERVICE-API-KEY: ${key}"`,
    `  or, as an entry: {"mcpServers": {"roadstead": {"type": "http", "url": "${platform.url}/mcp", "headers": {"SERVICE-API-KEY": "<the key in ${folder}/api-key>"}}}}`,
    '',
    terminal.bold('Send traces with the LangSmith SDK:'),
    `  export LANGSMITH_TRACING=true LANGSMITH_ENDPOINT=${platform.url}/api LANGSMITH_API_KEY="${key}"`,
    '',
    'Agents run as your own user (isolation: none): deploy only code that you trust. Ctrl-C stops everything.',
  ];
}

function talkTo(deployment: Deployment, key: string, terminal: Terminal): string[] {
  const address = `${deployment.url ?? ''}/a2a/${assistantIdOf('agent')}/`;
  const message = `{"jsonrpc":"2.0","id":"1","method":"message/send","params":{"message":{"role":"user","messageId":"'"$(date +%s%N)"'","parts":[{"kind":"text","text":"Where is my order 1042?"}]}}}`;
  return [
    terminal.bold(`Talk to ${deployment.name}, which serves at ${deployment.url ?? ''}:`),
    `  curl -s ${address} -H "X-Api-Key: ${key}" -H 'Content-Type: application/json' -H 'Accept: application/json' \\`,
    `    -d '${message}'`,
  ];
}

const quoted = (path: string) =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;

/** How the command can be called from where it was called. */
function commandName(): string {
  const launcher = fileURLToPath(new URL('../../../../bin/roadstead.mjs', import.meta.url));
  if (launcher.includes('node_modules')) return 'npx roadstead';
  const path = relative(process.cwd(), launcher);
  return quoted(path.startsWith('..') ? launcher : path);
}
