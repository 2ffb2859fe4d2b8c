import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandOptions, endForUse } from '@roadstead/testing/processes';
import type { Deployment, Revision } from '@roadstead/contracts/control-plane';
import type { Language } from '../../packages/contracts/src/langgraph-json/languages.ts';
import { dataHome, type RunningPlatform, startPlatform } from '../support/platform.ts';
import {
  extract,
  findConfig,
  listRepositories,
  newestCommit,
  type Repository,
  variablesFor,
} from './repository-source.ts';

const usage = `npm run compat:repositories -- --from FOLDER [options]

  Deploys the newest commit of every git repository in a folder as it is, one after the other, and says for each
  whether it came to serve, or why not. It gets the variables of its own example, with keys that are none.

  --from FOLDER      where the repositories are
  --language NAME    only those in javascript or python
  --only NAME        only this one; may be repeated
  --limit SECONDS    ends a build that takes longer
  --calls            asks each graph that serves for its schemas and for a run
  --logs FOLDER      keeps what each deployment printed
`;

interface Trial {
  readonly name: string;
  readonly commit: string;
  readonly config: string;
  readonly status: string;
  readonly seconds: number;
  readonly reason: string;
  /** The answers of its graphs. */
  readonly calls: readonly string[];
}

const LANGUAGES: readonly Language[] = ['javascript', 'python'];
/** The longest that a graph is waited for. */
const LIMIT_MS = 90_000;
const MESSAGE = { messages: [{ role: 'user', content: 'Hello' }] };
const { values } = commandOptions(usage, {
  options: {
    from: { type: 'string' },
    language: { type: 'string' },
    only: { type: 'string', multiple: true },
    limit: { type: 'string', default: '900' },
    calls: { type: 'boolean', default: false },
    logs: { type: 'string' },
  },
});
if (values.from === undefined) endForUse('--from FOLDER is missing.', usage);
const languages = LANGUAGES.filter((one) => values.language === undefined || values.language === one);
if (languages.length === 0) endForUse(`--language is one of ${LANGUAGES.join(', ')}.`, usage);
const found = await listRepositories(values.from);
const wanted = values.only?.flatMap((name) => found.filter((one) => one.name === name)) ?? found;
await using home = await dataHome();
await using platform = await startPlatform(home.path, { env: { ROADSTEAD_BUILD_TIMEOUT_S: values.limit } });
for (const repository of wanted)
  for (const language of languages) {
    const trial = await tryRepository(platform, repository, { language }).catch((error: unknown) => {
      process.stderr.write(`${repository.name} can't be tried: ${plain(String(error))}\n`);
    });
    if (trial === undefined) continue;
    const { name, commit, config, status, seconds, reason, calls } = trial;
    process.stdout.write(
      `| ${name} | \`${commit.slice(0, 12)}\` | \`${config}\` | ${status} | ${seconds} s | ${reason} |\n`,
    );
    for (const call of calls) process.stdout.write(`  ${call}\n`);
  }

/** Undefined where there is no graph of this language. */
async function tryRepository(
  running: RunningPlatform,
  repository: Repository,
  { language }: { readonly language: Language },
): Promise<Trial | undefined> {
  const { url, fetch, run: roadstead } = running;
  const id = `compat-${language}`;
  const config = await findConfig(repository, language);
  if (config === undefined) return undefined;
  const name = repository.name.replace('+', '/');
  const commit = await newestCommit(repository);
  const folder = await mkdtemp(join(tmpdir(), 'roadstead-repository-'));
  const began = performance.now();
  try {
    const source = join(folder, 'source');
    await extract(repository, source);
    const env_file = join(folder, 'variables');
    await writeFile(env_file, (await variablesFor(source, config)).join('\n'));
    const words = ['deploy', source, '--name', id, '--config', config, '--env-file', env_file];
    const deployed = await roadstead(...words);
    await keepLog(repository.name, `${deployed.stdout}${deployed.stderr}`);
    const deployment = await findDeployment(running, id);
    const seconds = Math.round((performance.now() - began) / 1000);
    const ended = { name, commit, config, seconds, calls: [] };
    if (deployment === undefined)
      return { ...ended, status: 'refused', reason: plain(deployed.stderr.trim().split('\n').at(-1) ?? '') };
    const at = `${url}/v2/deployments/${deployment.id}`;
    const answer = await fetch(`${at}/revisions/${deployment.latest_revision_id}`);
    const { status, status_reason } = (await answer.json()) as Revision;
    const tail = status_reason?.log_tail?.slice(-12).join(' / ') ?? '';
    const calls = values.calls && status === 'DEPLOYED' ? await callGraphs(running, id) : [];
    return { ...ended, calls, status, reason: plain(`${status_reason?.message ?? ''} ${tail}`) };
  } finally {
    // The next one has its variables and its hosts to itself.
    await roadstead('delete', id, '--yes', '--force');
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function findDeployment(
  { url, fetch }: RunningPlatform,
  name: string,
): Promise<Deployment | undefined> {
  const list = await fetch(`${url}/v2/deployments?name=${name}`);
  return ((await list.json()) as { resources: Deployment[] }).resources[0];
}

async function keepLog(name: string, text: string): Promise<void> {
  if (values.logs === undefined) return;
  await mkdir(values.logs, { recursive: true });
  await writeFile(join(values.logs, `${name}.log`), text);
}

/** In one line of a table. */
function plain(text: string): string {
  return text.replaceAll(/[|\s]+/g, ' ').trim();
}

/** Asks each graph of a deployment for its schemas and one run, and tells the answers, a line each. */
async function callGraphs(platform: RunningPlatform, slug: string): Promise<string[]> {
  const at = `${platform.url}/agents/${slug}`;
  const call = async (path: string, body?: object): Promise<Answer> => {
    const init = {
      headers: { 'content-type': 'application/json' },
      signal: AbortSignal.timeout(LIMIT_MS),
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    };
    return await platform.fetch(`${at}${path}`, init).then(
      async (answer) => ({ status: answer.status, text: await answer.text() }),
      (error: unknown) => ({ status: 0, text: String(error) }),
    );
  };
  const { status, text } = await call('/assistants/search', { limit: 100 });
  if (status !== 200) return [`assistants: ${status} ${text}`];
  const assistants = JSON.parse(text) as { assistant_id: string; graph_id: string }[];
  const lines: string[] = [];
  for (const { assistant_id, graph_id } of assistants) {
    const schemas = await call(`/assistants/${assistant_id}/schemas`);
    const ended = await call('/runs/wait', { assistant_id, input: MESSAGE });
    lines.push(`${graph_id}: schemas ${shown(schemas)}; run ${shown(ended)}`);
  }
  return lines;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

function shown({ status, text }: Answer): string {
  return `${status} ${text.replaceAll(/\s+/g, ' ').slice(0, 300)}`;
}
