import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import type { Deployment, Revision } from '@roadstead/contracts/control-plane';
import { dataHome, type RunningPlatform, startPlatform } from '../support/platform.ts';

/**
 * `npm run compat:repositories -- --from FOLDER [--only NAME]…`: deploys the newest commit of every git repository in a folder
 * as it is, one after the other, and says for each whether it came to serve, or why not. A repository is a clone, bare or not,
 * or a folder that holds one as `repo`. What needs a key to load gets one that is none.
 */

const run = promisify(execFile);

interface Trial {
  readonly name: string;
  readonly commit: string;
  readonly config: string;
  readonly status: string;
  readonly seconds: number;
  readonly reason: string;
}

const { values } = parseArgs({
  options: { from: { type: 'string' }, only: { type: 'string', multiple: true } },
});
if (values.from === undefined) throw new Error('Say where the repositories are: --from FOLDER.');
const found = await listRepositories(values.from);
const wanted = found.filter(({ name }) => values.only?.includes(name) ?? true);
await using home = await dataHome();
await using platform = await startPlatform(home.path);
for (const repository of wanted) {
  const trial = await tryRepository(platform, repository).catch((error: unknown) => {
    process.stderr.write(`${repository.name} can't be tried: ${plain(String(error))}\n`);
  });
  if (trial === undefined) continue;
  const { name, commit, config, status, seconds, reason } = trial;
  process.stdout.write(
    `| ${name} | ${commit.slice(0, 12)} | ${config} | ${status} | ${seconds} s | ${reason} |\n`,
  );
}

interface Repository {
  readonly name: string;
  readonly git: string;
}

async function listRepositories(from: string): Promise<Repository[]> {
  const names = (await readdir(from)).toSorted();
  const repositories = names.map(async (name) => {
    for (const git of ['repo', '.git', '.'].map((inner) => join(from, name, inner)))
      if (await isGit(git)) return { name, git };
    return undefined;
  });
  return (await Promise.all(repositories)).filter((one) => one !== undefined);
}

async function isGit(folder: string): Promise<boolean> {
  return stat(join(folder, 'HEAD')).then(
    () => true,
    () => false,
  );
}

/** Undefined where there is no graph of JavaScript or TypeScript. */
async function tryRepository(
  { url, fetch, run: roadstead }: RunningPlatform,
  { name, git }: Repository,
): Promise<Trial | undefined> {
  const inGit = async (...args: string[]) => (await run('git', ['-C', git, ...args])).stdout.trim();
  const commit = await inGit('rev-parse', 'HEAD');
  const config = await findConfig(inGit);
  if (config === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'roadstead-repository-'));
  const began = performance.now();
  try {
    const source = join(folder, 'source');
    const archive = join(folder, 'source.tar');
    await mkdir(source);
    const left_out = (await listMissing(inGit)).map((path) => `:(exclude,literal)${path}`);
    await inGit('archive', '--format=tar', `--output=${archive}`, 'HEAD', '--', '.', ...left_out);
    await run('tar', ['-xf', archive, '-C', source]);
    const env_file = join(folder, 'keys');
    await writeFile(env_file, (await keysFor(source)).map((key) => `${key}=placeholder\n`).join(''));
    const id = name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .slice(0, 60);
    const deployed = await roadstead(
      'deploy',
      source,
      '--name',
      id,
      '--config',
      config,
      '--env-file',
      env_file,
    );
    const list = await fetch(`${url}/v2/deployments?name=${id}`);
    const [deployment] = ((await list.json()) as { resources: Deployment[] }).resources;
    const ended = { name, commit, config, seconds: Math.round((performance.now() - began) / 1000) };
    if (deployment === undefined)
      return { ...ended, status: 'refused', reason: plain(deployed.stderr.trim().split('\n').at(-1) ?? '') };
    const at = `${url}/v2/deployments/${deployment.id}`;
    const answer = await fetch(`${at}/revisions/${deployment.latest_revision_id}`);
    const { status, status_reason } = (await answer.json()) as Revision;
    const tail = status_reason?.log_tail?.slice(-12).join(' / ') ?? '';
    await fetch(`${at}?force=true`, { method: 'DELETE' });
    return { ...ended, status, reason: plain(`${status_reason?.message ?? ''} ${tail}`) };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Files that a partial clone does not hold, such as large pictures. */
async function listMissing(inGit: (...args: string[]) => Promise<string>): Promise<string[]> {
  const listed = await inGit('rev-list', '--objects', '--missing=print', '--max-count=1', 'HEAD');
  const missing = new Set(
    listed.split('\n').flatMap((line) => (line.startsWith('?') ? [line.slice(1)] : [])),
  );
  if (missing.size === 0) return [];
  const files = (await inGit('ls-tree', '-r', 'HEAD')).split('\n').map((line) => line.split(/\s+/));
  return files.flatMap(([, , object = '', path = '']) => (missing.has(object) ? [path] : []));
}

/** The one nearest to the root, of those with a graph that Node can run. */
async function findConfig(inGit: (...args: string[]) => Promise<string>): Promise<string | undefined> {
  const files = (await inGit('ls-tree', '-r', '--name-only', 'HEAD')).split('\n');
  const configs = files
    .filter((path) => /(^|\/)langgraph\.json$/.test(path))
    .sort((a, b) => a.split('/').length - b.split('/').length);
  for (const path of configs) if (/\.[cm]?[jt]sx?:/.test(await inGit('show', `HEAD:${path}`))) return path;
  return undefined;
}

/** Those of the common providers, and those that the repository says it needs. */
async function keysFor(source: string): Promise<string[]> {
  const example = await readFile(join(source, '.env.example'), 'utf8').catch(() => '');
  const named = [...example.matchAll(/^\s*#?\s*([A-Z][A-Z0-9_]*_(?:KEY|TOKEN|SECRET))\s*=/gm)].map(
    ([, key]) => key ?? '',
  );
  const common = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GOOGLE_API_KEY', 'GROQ_API_KEY', 'TAVILY_API_KEY'];
  return [...new Set([...common, ...named])].filter((key) => !/^(LANGSMITH|LANGCHAIN|ROADSTEAD)_/.test(key));
}

/** In one line of a table. */
function plain(text: string): string {
  return text.replaceAll(/[|\s]+/g, ' ').trim();
}
