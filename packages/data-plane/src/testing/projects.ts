import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { create } from 'tar';
import { defaultSettings, type ProjectGraphs } from '@roadstead/contracts/langgraph-json';

/** Projects that need no package registry: they bring a stand-in for LangGraph with them. */
export type ProjectKind = 'works' | 'broken' | 'hangs' | 'obeys';

const agents: Readonly<Record<ProjectKind, string>> = {
  works: `export const graph = { channels: { messages: {} }, stream: async function* () {} };`,
  broken: `throw new Error('this agent never loads');`,
  hangs: `await new Promise((resolve) => setTimeout(resolve, 1_000_000));`,
  // Does what the metadata of a run says.
  obeys: `export const graph = { channels: { messages: {} }, stream: async function* (_input, { metadata }) {
    const first = metadata.run_attempt === 1;
    if (metadata.does === 'prints') console.log('a line of the graph');
    if (metadata.does === 'warns') console.error('a warning of the graph');
    if (metadata.does === 'dies' || (metadata.does === 'dies once' && first)) process.kill(process.pid, 'SIGKILL');
    for (const held = []; metadata.does === 'fills its memory'; ) held.push(Array.from({ length: 1_000_000 }, Math.random));
  } };`,
};

export function projectFiles(kind: ProjectKind): Readonly<Record<string, string>> {
  const package_json = (name: string) =>
    JSON.stringify({ name, version: '1.0.0', type: 'module', main: 'index.js' });
  const modules = 'node_modules/@langchain';
  return {
    'langgraph.json': JSON.stringify({ graphs: { agent: './agent.js:graph' } }),
    'package.json': package_json('agent'),
    'agent.js': agents[kind],
    [`${modules}/langgraph/package.json`]: package_json('@langchain/langgraph'),
    [`${modules}/langgraph/index.js`]: 'export {};',
    [`${modules}/langgraph-checkpoint/package.json`]: package_json('@langchain/langgraph-checkpoint'),
    [`${modules}/langgraph-checkpoint/index.js`]:
      'export class BaseCheckpointSaver {} export class BaseStore {} export const emptyCheckpoint = () => ({ v: 4 });',
  };
}

/** Their `langgraph.json`. */
export const projectGraphs: ProjectGraphs = {
  config_path: 'langgraph.json',
  graphs: { agent: { path: './agent.js:graph', description: null } },
  ...defaultSettings,
};

/** Writes a project into a folder. */
export async function writeProject(folder: string, kind: ProjectKind): Promise<void> {
  for (const [path, text] of Object.entries(projectFiles(kind))) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

/** A project as the source archive that a user uploads. */
export async function sourceArchive(kind: ProjectKind, note = ''): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'project-'));
  const file = `${folder}.tgz`;
  try {
    await writeProject(folder, kind);
    await writeFile(join(folder, 'note.txt'), note);
    await create({ cwd: folder, file, gzip: true }, ['.']);
    return await readFile(file);
  } finally {
    await rm(folder, { recursive: true });
    await rm(file, { force: true });
  }
}
