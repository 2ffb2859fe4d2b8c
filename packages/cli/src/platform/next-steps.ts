import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ResourceLimits } from '@roadstead/contracts/control-plane';
import { assistantIdOf } from '@roadstead/kit';
import { readKeyFile } from '../target/data-folder-path.ts';
import { targetOf } from '../target/target.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { examples, PYTHON_EXAMPLE } from './example.ts';
import type { Platform } from './platform.ts';

interface NextSteps {
  /** The address of the platform. */
  readonly url: string;
  /** An address that signs in to the console once, or undefined where there is none. */
  readonly console_url: string | undefined;
  /** The file that holds the key, or undefined where the environment gave it. */
  readonly key_file: string | undefined;
  /** The deployment for the example calls. */
  readonly agent: { readonly name: string; readonly url: string; readonly is_example: boolean } | undefined;
  /** The address of the example in Python, where it serves. */
  readonly python_url: string | undefined;
  /** How user code is isolated here. */
  readonly isolation: string;
  /** How the memory and processors of user code are limited here. */
  readonly resource_limits: ResourceLimits;
  readonly command: string;
}

/** The steps for the agent that a new user would try first. */
export async function nextSteps(
  { url, api_key }: Platform,
  { folder, terminal }: { readonly folder: string; readonly terminal: Terminal },
): Promise<string[]> {
  const { control, identity } = targetOf(url, api_key);
  const [{ resources }, listeners, { url: console_url }] = await Promise.all([
    control.listDeployments({ query: { limit: 20 } }),
    control.listListeners({ query: { limit: 100 } }),
    identity.createSignInLink({}).catch(() => ({ url: undefined })),
  ]);
  const own = listeners.resources.find(({ compute_id }) => compute_id === 'embedded');
  const names: readonly string[] = examples;
  const rank = (name: string) => (names.includes(name) ? names.indexOf(name) : names.length);
  const serving = resources
    .flatMap(({ name, url }) => (url === null ? [] : [{ name, url, is_example: names.includes(name) }]))
    .toSorted((one, other) => rank(one.name) - rank(other.name));
  const [agent] = serving;
  const python_url = serving.find(({ name }) => name === PYTHON_EXAMPLE && name !== agent?.name)?.url;
  const key_file = (await readKeyFile(folder)) === api_key ? join(folder, 'api-key') : undefined;
  const { isolation, resource_limits } = own ?? { isolation: 'none', resource_limits: 'none' };
  const steps = { url, console_url, key_file, agent, python_url, isolation, resource_limits };
  return nextStepLines({ ...steps, command: commandName() }, terminal);
}

/** The next steps, ready to paste; the key itself is never printed. */
export function nextStepLines(
  { url, console_url, key_file, agent, python_url, isolation, resource_limits, command }: NextSteps,
  { bold }: Pick<Terminal, 'bold'>,
): string[] {
  const key = key_file === undefined ? '$ROADSTEAD_API_KEY' : `$(cat ${quoted(key_file)})`;
  const shown = `<the key in ${key_file ?? 'ROADSTEAD_API_KEY'}>`;
  const entry = { type: 'http', url: `${url}/mcp`, headers: { 'SERVICE-API-KEY': shown } };
  return [
    ...(console_url === undefined
      ? []
      : [
          '',
          `${bold('Open the console:')} ${console_url}`,
          `  It signs in once, within five minutes; \`${command} open\` gives another.`,
        ]),
    '',
    ...(agent === undefined
      ? [bold('Deploy an agent:'), `  ${command} deploy DIR`]
      : [
          bold(`Talk to ${agent.name}, which serves at ${agent.url}:`),
          ...(agent.is_example ? messageTo(agent.url, key) : cardOf(agent.url, key)),
        ]),
    ...(python_url === undefined
      ? []
      : [`  ${PYTHON_EXAMPLE} is an agent in Python, which answers the same way at ${python_url}`]),
    '',
    bold('Read the traces with an MCP client:'),
    `  claude mcp add --transport http roadstead ${url}/mcp --header "SERVICE-API-KEY: ${key}"`,
    '  Without --header it opens a page, on which you sign in with the key and choose what it may do.',
    `  or, as an entry: ${JSON.stringify({ mcpServers: { roadstead: entry } })}`,
    '  docs/mcp.md says what it can ask then, and how other clients connect.',
    '',
    bold('Send traces with the LangSmith SDK:'),
    `  export LANGSMITH_TRACING=true LANGSMITH_ENDPOINT=${url}/api LANGSMITH_API_KEY="${key}"`,
    '',
    `${sentenceOf(isolation)} ${limitSentences[resource_limits]}`,
    'Ctrl-C stops everything.',
  ];
}

const sentenceOf = (isolation: string) =>
  isolation === 'none'
    ? 'Agents run as your own user (isolation: none): deploy only code that you trust.'
    : `Agents see neither your files nor your processes (isolation: ${isolation}); SECURITY.md says what that means.`;

const limitSentences: Readonly<Record<ResourceLimits, string>> = {
  cgroup: 'The kernel limits their memory and processors (ROADSTEAD_HOST_MEMORY_MB, ROADSTEAD_HOST_CPUS).',
  watch: 'One that takes more memory than ROADSTEAD_HOST_MEMORY_MB is ended; processors are not limited.',
  none: 'Beside the heap, neither their memory nor their processors are limited on this system.',
};

/** The graph of an example is known; the card of another agent names its own. */
function messageTo(url: string, key: string): string[] {
  const message = `{"jsonrpc":"2.0","id":"1","method":"message/send","params":{"message":{"role":"user","messageId":"'"$(date +%s%N)"'","parts":[{"kind":"text","text":"Where is my order 1042?"}]}}}`;
  return [
    `  curl -s ${url}/a2a/${assistantIdOf('agent')}/ -H "X-Api-Key: ${key}" -H 'Content-Type: application/json' -H 'Accept: application/json' \\`,
    `    -d '${message}'`,
  ];
}

const cardOf = (url: string, key: string) => [
  `  curl -s ${url}/.well-known/agent-card.json -H "X-Api-Key: ${key}"`,
];

const quoted = (path: string) =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;

/** How the user called this command. */
function commandName(): string {
  const launcher = fileURLToPath(new URL('../../../../bin/roadstead.mjs', import.meta.url));
  if (launcher.includes('node_modules')) return 'npx roadstead';
  const path = relative(process.cwd(), launcher);
  return quoted(path.startsWith('..') ? launcher : path);
}
