import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { AssignedRevision } from '@roadstead/contracts/control-plane';
import { useFixturePerTest, useFolderPerTest } from '@roadstead/testing';
import { type PythonTools, pythonTools } from '@roadstead/testing/processes';
import { beforeEach, expect, test } from 'vitest';
import { findPythonRecord, findPythonRuntime } from '../artifacts/python-runtime.ts';
import { PythonIndex } from '../testing/python-index.ts';
import { archiveOf } from '../testing/python-projects.ts';
import { openTestBuilder } from '../testing/test-builder.ts';
import { makeWheel } from '../testing/wheels.ts';

/** Projects of every form, built with the real uv from an index on this machine. */

const signal = AbortSignal.timeout(600_000);
const folder = useFolderPerTest('python-build-');
const tools = await pythonTools();
if (typeof tools === 'string') process.stderr.write(`NOT TESTED: builds of Python: ${tools}\n`);
beforeEach(({ skip }) => skip(typeof tools === 'string'));
const index = useFixturePerTest(async () => {
  const opened = await PythonIndex.open();
  for (const name of ['langgraph', 'tides', 'moorings']) opened.publish(name);
  opened.publish('harbour', { requires: ['tides'], scripts: { pilot: 'harbour:VERSION.__len__' } });
  return opened;
});
const { uv, pythons } = tools as PythonTools;

/** The environment of an operator who has an index of their own, and no other. */
const operator = (url = index().url) => ({
  PATH: `${dirname(uv)}:${process.env['PATH'] ?? ''}`,
  HOME: folder(),
  UV_DEFAULT_INDEX: url,
});
const config = (more: object) => JSON.stringify({ graphs: { agent: './agent.py:graph' }, ...more });
const pyproject = (name: string, more = '') =>
  `[project]\nname = "${name}"\nversion = "0.1"\nrequires-python = ">=3.11"\n${more}\n`;
/** The build that uv itself brings. */
const UV_BUILD = '[build-system]\nrequires = ["uv_build>=0.11,<0.99"]\nbuild-backend = "uv_build"\n';

type Files = Readonly<Record<string, string | Buffer>>;

interface BuildOptions extends Partial<AssignedRevision['config']> {
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

async function buildProject(files: Files, { environment = operator(), ...build_config }: BuildOptions = {}) {
  const { artifacts, build, isolation } = await openTestBuilder(folder(), environment);
  const { built, lines } = build(await archiveOf(files), build_config);
  const digest = await built;
  return { path: artifacts.pathOf(digest), lines, digest, isolation };
}

/** Runs a program with the Python of an artifact, as a graph host would, after it was moved elsewhere. */
async function runIn(path: string, program: string): Promise<string> {
  const moved = await mkdtemp(join(folder(), 'moved-'));
  await rename(path, join(moved, 'artifact'));
  const runtime = await findPythonRuntime(join(moved, 'artifact'), { pythons, signal });
  const begin = `import site, sys; sys.path[:0] = ${JSON.stringify(runtime?.module_folders.slice(0, -1))}; site.addsitedir(${JSON.stringify(runtime?.module_folders.at(-1))})\n`;
  const args = ['-I', '-S', '-B', '-c', begin + program];
  const { stdout } = await promisify(execFile)(runtime?.interpreter ?? '', args, {
    cwd: join(moved, 'artifact'),
  });
  return stdout.trim();
}

test.each<[string, Files, string, readonly string[]]>([
  [
    'a pyproject.toml with a build, and a name',
    {
      'langgraph.json': config({ dependencies: ['.', 'moorings'] }),
      'agent.py': 'import boats.hull',
      'pyproject.toml': pyproject('boats', 'dependencies = ["harbour"]') + UV_BUILD,
      'src/boats/__init__.py': '',
      'src/boats/hull.py': 'WOOD = "oak"',
    },
    'import boats.hull, harbour, tides, moorings, importlib.metadata as m; print(boats.hull.WOOD, m.version("boats"))',
    ['src'],
  ],
  [
    'a pyproject.toml without a build',
    {
      'langgraph.json': config({}),
      'agent.py': '',
      'pyproject.toml': pyproject('boats', 'dependencies = ["harbour"]'),
      'src/boats.py': 'WOOD = "oak"',
    },
    'import agent, boats, harbour, tides; print(boats.WOOD)',
    ['src'],
  ],
  [
    'a requirements.txt beside files',
    {
      'langgraph.json': config({ dependencies: ['./app'], graphs: { agent: './app/agent.py:graph' } }),
      'app/requirements.txt': 'harbour==1.0\n',
      'app/agent.py': 'WOOD = "oak"',
      'app/lib/deep.py': '',
    },
    'import agent, harbour, tides, lib.deep; print(agent.WOOD)',
    ['app'],
  ],
  [
    'a folder that is a package itself',
    {
      'langgraph.json': config({ dependencies: ['./boats', 'tides'], graphs: { agent: 'boats.hull:graph' } }),
      'boats/__init__.py': '',
      'boats/hull.py': 'WOOD = "oak"',
    },
    'import boats.hull, hull, tides; print(boats.hull.WOOD)',
    ['boats'],
  ],
])('when a project is %s, then it runs wherever its artifact lies', async (_name, files, program, paths) => {
  const { path } = await buildProject(files);
  const record = await findPythonRecord(path);
  expect(record?.paths).toEqual(expect.arrayContaining([...paths]));
  const lock = await readFile(join(path, record?.lock ?? ''), 'utf8');
  expect(lock).toContain('tides==1.0 \\\n    --hash=sha256:');
  expect(await runIn(path, program)).toContain('oak');
});

/** A workspace whose lock was written with the index that is open. */
async function lockedWorkspace(): Promise<Files> {
  const files = {
    'langgraph.json': config({
      source: { kind: 'uv', root: '..' },
      graphs: { agent: './src/boats/hull.py:graph' },
    }),
    'pyproject.toml': `${pyproject('boats', 'dependencies = ["harbour", "planks"]')}${UV_BUILD}[tool.uv.sources]\nplanks = { workspace = true }\n[dependency-groups]\ndev = ["moorings"]\n`,
    'src/boats/__init__.py': '',
    'src/boats/hull.py': 'import planks\nWOOD = planks.WOOD',
  };
  const all: Record<string, string> = {
    'pyproject.toml': '[tool.uv.workspace]\nmembers = ["boats", "libs/*"]\n',
    'libs/planks/pyproject.toml': pyproject('planks') + UV_BUILD,
    'libs/planks/src/planks/__init__.py': 'WOOD = "oak"',
  };
  for (const [path, text] of Object.entries(files)) all[`boats/${path}`] = text;
  const place = join(folder(), 'workspace');
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(place, path)), { recursive: true });
    await writeFile(join(place, path), text);
  }
  await promisify(execFile)(uv, ['lock'], {
    cwd: place,
    env: { ...operator(), UV_CACHE_DIR: join(folder(), 'c') },
  });
  // The Python of its author, which is not that of the deployment.
  const pin = { '.python-version': '3.99\n' };
  return { ...all, ...pin, 'uv.lock': await readFile(join(place, 'uv.lock'), 'utf8') };
}

const LOCKED = { langgraph_config_path: 'boats/langgraph.json' };

test('when a lock names addresses that are gone, then the operator’s index gives the same hashes', async () => {
  const files = await lockedWorkspace();
  await using other = await PythonIndex.open();
  other.publish('tides');
  other.publish('harbour', { requires: ['tides'], scripts: { pilot: 'harbour:VERSION.__len__' } });
  await index()[Symbol.asyncDispose]();
  const { path, lines } = await buildProject(files, { environment: operator(other.url), ...LOCKED });
  expect(lines.join('\n')).not.toContain('moorings');
  expect((await findPythonRecord(path))?.lock).toBe('uv.lock');
  const program = 'import boats.hull, harbour, tides; print(boats.hull.WOOD)';
  expect(await runIn(path, program)).toBe('oak');
});

test('when an index has other bytes than a lock names, then the build fails in words', async () => {
  const files = await lockedWorkspace();
  await using other = await PythonIndex.open();
  other.publish('tides', { files: { 'tides/more.py': '' } });
  other.publish('harbour', { requires: ['tides'], scripts: { pilot: 'harbour:VERSION.__len__' } });
  const building = buildProject(files, { environment: operator(other.url), ...LOCKED });
  await expect(building).rejects.toThrow(/uv pip install.* failed with exit code \d: .*[Hh]ash/);
});

test('when nobody names an index, then a lock is installed from the addresses in it', async () => {
  const files = await lockedWorkspace();
  const { UV_DEFAULT_INDEX: _none, ...environment } = operator();
  const { path } = await buildProject(files, { environment, ...LOCKED });
  expect(index().asked).toContain('/simple/harbour/harbour-1.0-py3-none-any.whl');
  expect(await runIn(path, 'import boats.hull; print(boats.hull.WOOD)')).toBe('oak');
});

const GRAPH = `
from typing import TypedDict
from langgraph.graph import END, START, StateGraph
from planks import WOOD
from hulls.deep import SHAPE

class State(TypedDict):
    wood: str

def choose(state: State) -> State:
    return {"wood": f"{WOOD} {SHAPE}"}

graph = StateGraph(State).add_node(choose).add_edge(START, "choose").add_edge("choose", END).compile()
`;

test('when a project has packages with their own builds, then its graph runs from the artifact', async () => {
  const setup = (name: string, more: string) =>
    `from setuptools import setup\nsetup(name="${name}", version="0.1", ${more})\n`;
  const files = {
    'langgraph.json': config({
      dependencies: ['.', './libs/planks', './libs/hulls'],
      python_version: '3.11',
    }),
    'agent.py': GRAPH,
    'requirements.txt': 'langgraph>=1\n',
    'libs/planks/pyproject.toml': `${pyproject('planks')}[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n`,
    'libs/planks/src/planks/__init__.py': 'WOOD = "oak"',
    // Its modules lie in a folder that has another name, which a link alone can't say.
    'libs/hulls/setup.py': setup(
      'hulls',
      'packages=["hulls"], package_dir={"hulls": "code"}, install_requires=["planks"]',
    ),
    'libs/hulls/code/__init__.py': '',
    'libs/hulls/code/deep.py': 'SHAPE = "deep"',
  };
  const environment = { ...process.env, PATH: operator().PATH };
  const { path } = await buildProject(files, { environment });
  expect(await runIn(path, 'import agent; print(agent.graph.invoke({"wood": ""})["wood"])')).toBe('oak deep');
});

test('when a build is aborted, then it ends, and nothing is kept', async () => {
  const { artifacts, build } = await openTestBuilder(folder(), operator());
  const stop = new AbortController();
  const source = await archiveOf({
    ...plain,
    'setup.py': 'import time\nprint("begun", flush=True)\ntime.sleep(600)',
  });
  const { built, lines } = build(source, {}, { signal: stop.signal });
  const ended = built.catch((error: unknown) => error);
  await expect.poll(() => lines.some((line) => line.includes('uv pip compile'))).toBe(true);
  stop.abort(new Error('given up'));
  expect(await ended).toMatchObject({ message: 'given up' });
  expect(await artifacts.builtFor('r')).toBeUndefined();
});

const plain: Files = {
  'langgraph.json': config({ dependencies: ['.', 'harbour'] }),
  'agent.py': 'WOOD = "oak"',
};

test('when an artifact is packed, then its bytecode counts, and its programs find their Python', async () => {
  const { path } = await buildProject(plain);
  const { python = '' } = (await findPythonRecord(path)) ?? {};
  const minor = python.split('.').slice(0, 2).join('.');
  const tag = `cpython-${minor.replace('.', '')}.pyc`;
  for (const file of ['__pycache__/agent', '.roadstead/python/packages/harbour/__pycache__/__init__']) {
    const bytes = await readFile(join(path, `${file}.${tag}`));
    // Compared with a hash, and with none that is checked.
    expect(bytes.readUInt32LE(4)).toBe(1);
    expect(bytes.includes(folder())).toBe(false);
  }
  const program = await readFile(join(path, '.roadstead/python/bin/pilot'), 'utf8');
  expect(program.split('\n')[0]).toBe(`#!/usr/bin/env python${minor}`);
  await writeFile(join(path, 'agent.py'), 'WOOD = "pine"');
  expect(await runIn(path, 'import agent; print(agent.WOOD)')).toBe('oak');
});

const STARTS = `
import json, os, subprocess, sys
def run(*command):
    few = {name: os.environ[name] for name in ("HOME", "PATH")}
    done = subprocess.run(command, env=few, capture_output=True, text=True)
    return [done.returncode, (done.stdout + done.stderr).strip()]
print(json.dumps([
    run(sys.executable, "-c", "import harbour; print(harbour.VERSION)"),
    run("python", "./served.py"),
    run("pilot"),
]))
`;
const hostSource = fileURLToPath(new URL('../../../graph-host-python/src', import.meta.url));

test('when code starts programs with PATH alone, then they have the packages of the artifact', async () => {
  const { path } = await buildProject({ ...plain, 'served.py': 'import harbour; print(harbour.VERSION)' });
  const runtime = await findPythonRuntime(path, { pythons, signal });
  const folders = JSON.stringify(runtime?.module_folders);
  const begin = `import sys; sys.path.append(${JSON.stringify(hostSource)})
from roadstead_host.project.revision_python import provide_python
provide_python(${folders}, ${JSON.stringify(runtime?.programs)})
`;
  const { stdout } = await promisify(execFile)(
    runtime?.interpreter ?? '',
    ['-I', '-S', '-B', '-c', begin + STARTS],
    { cwd: path, env: { HOME: folder(), TMPDIR: folder(), PATH: '/usr/bin:/bin' } },
  );
  // The program of this package says nothing, and ends with the length of its version.
  expect(JSON.parse(stdout)).toEqual([
    [0, '1.0'],
    [0, '1.0'],
    [3, ''],
  ]);
});

test('when the same source is built twice, then the artifact is the same', async () => {
  const once = await buildProject(plain);
  await rm(join(folder(), 'cache'), { recursive: true });
  expect((await buildProject(plain)).digest).toBe(once.digest);
});

test('when the index has a login, then it is sent there, and no line of the log has it', async () => {
  const url = index().url.replace('://', '://clerk:canary-7@');
  const { path, lines } = await buildProject(plain, {
    environment: operator(url),
    build_command: 'cat ~/.config/uv/uv.toml',
  });
  expect(index().logins).toContain('clerk:canary-7');
  expect(lines.join('\n')).toContain('default = true');
  expect(lines.join('\n')).not.toContain('canary');
  const { stdout } = await promisify(execFile)('grep', ['-rc', 'canary-7', path]).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout.split('\n').filter((line) => line !== '' && !line.endsWith(':0'))).toEqual([]);
});

test('when a project has a pip.conf, then its index is asked in the place of the operator’s', async () => {
  const files = {
    ...plain,
    'pip.conf': `[global]\nindex-url = ${index().url}\n`,
    'langgraph.json': config({
      dependencies: ['.', 'harbour'],
      pip_config_file: './pip.conf',
      pip_installer: 'pip',
    }),
  };
  const { lines } = await buildProject(files, { environment: operator('http://127.0.0.1:1/simple') });
  expect(lines).toContain('uv installs in the place of pip');
});

test('when a pip.conf names files of this machine, then a build does not see them', async () => {
  const place = await mkdtemp(join(folder(), 'operator-'));
  await writeFile(join(place, 'key'), 'canary-9');
  const files = {
    ...plain,
    'pip.conf': `[global]\nfind-links = ${place}\ncert = ${place}/key\n`,
    'langgraph.json': config({ dependencies: ['.', 'harbour'], pip_config_file: './pip.conf' }),
  };
  const { lines, isolation } = await buildProject(files, {
    build_command: `cat ${place}/key ~/.config/*/* || true; echo "cert: $PIP_CERT"`,
  });
  const text = lines.join('\n');
  expect(text).toMatch(/pip\.conf: find-links names a path outside .*\n.*cert names a path outside/);
  expect(text).not.toMatch(/^cert: .*operator-/m);
  expect(text).not.toContain('find-links = [');
  expect(isolation === 'namespace' && text.includes('canary-9')).toBe(false);
});

test('when a project has commands of its own, then they install, and the build sees the result', async () => {
  const { path, lines } = await buildProject(plain, {
    install_command: 'uv pip install moorings',
    build_command: 'python -c "import moorings; print(moorings)"',
  });
  expect(lines.join('\n')).toContain("<module 'moorings' from './.roadstead/venv/");
  expect((await findPythonRecord(path))?.lock).toBeNull();
  expect(await runIn(path, 'import agent, moorings; print(agent.WOOD)')).toBe('oak');
});

test('when a project has both languages, then one artifact has the packages of both', async () => {
  const { path } = await buildProject({
    ...plain,
    'langgraph.json': config({
      graphs: { one: './agent.py:graph', two: './agent.js:graph' },
      dependencies: ['.', 'harbour'],
    }),
    'agent.js': 'export const graph = 1;',
    'package.json': JSON.stringify({ name: 'both', version: '1.0.0', dependencies: { lib: 'file:./lib' } }),
    'lib/package.json': JSON.stringify({ name: 'lib', version: '1.0.0' }),
  });
  expect(await readFile(join(path, 'node_modules/lib/package.json'), 'utf8')).toContain('lib');
  expect(await runIn(path, 'import harbour; print(harbour.VERSION)')).toBe('1.0');
});

test.each<[string, Files, RegExp]>([
  [
    'names what no index has',
    { ...plain, 'langgraph.json': config({ dependencies: ['krakens>2'] }) },
    /uv pip compile.* failed with exit code 1: .*krakens was not found/,
  ],
  [
    'names a folder that is not there',
    { ...plain, 'langgraph.json': config({ dependencies: ['./krakens'] }) },
    /dependencies: \.\/krakens is not a folder/,
  ],
  [
    'has no lock where it says',
    { ...plain, 'langgraph.json': config({ source: { kind: 'uv' } }) },
    /source\.root: \. has no uv\.lock/,
  ],
  [
    'names a pip.conf that is not there',
    { ...plain, 'langgraph.json': config({ pip_config_file: './pip.conf' }) },
    /pip_config_file: pip\.conf is not a file/,
  ],
  [
    'asks for a Python that cannot be had',
    { ...plain, 'pyproject.toml': pyproject('x').replace('3.11', '3.14.99') },
    /Python .*3\.14.* is asked for, and this machine has .*3\.1\d\.\d+/,
  ],
])('when a project %s, then its build is refused in words', async (_name, files, message) => {
  const environment = { ...operator(), UV_PYTHON_DOWNLOADS: 'never' };
  await expect(buildProject(files, { environment })).rejects.toThrow(message);
});

test('when the record of an artifact is a link, then it is not followed; a wrong one is refused', async () => {
  const place = join(folder(), 'artifact/.roadstead');
  await mkdir(place, { recursive: true });
  const write = (name: string, python: string, path = 'x') =>
    writeFile(join(place, name), JSON.stringify({ version: 1, python, paths: [path], lock: null }));
  await write('elsewhere.json', '3.12.1');
  await symlink('elsewhere.json', join(place, 'python.json'));
  const find = () => findPythonRecord(join(folder(), 'artifact'));
  expect(await find()).toBeUndefined();
  await rm(join(place, 'python.json'));
  await write('python.json', '3.12.1');
  expect(await find()).toMatchObject({ python: '3.12.1' });
  for (const [version, path] of [
    ['3.12.1', '../x'],
    ['3.10.1', 'x'],
    ['3.99.1', 'x'],
    ['3.12', 'x'],
  ] as const) {
    await write('python.json', version, path);
    await expect(find()).rejects.toThrow(/is not what a build writes/);
  }
});

test('when a build leaves a link in place of its record, then the record is written beside it', async () => {
  const command = 'touch kept && rm -rf .roadstead/python.json && ln -s ../kept .roadstead/python.json';
  const { path } = await buildProject(plain, { build_command: command });
  expect(await findPythonRecord(path)).toBeDefined();
  expect(await readFile(join(path, 'kept'), 'utf8')).toBe('');
});

/** A finder as the installers of links write it, for modules in a folder of another name. */
const finders: readonly (readonly [string, string, string])[] = [
  ['setuptools', '__editable___hulls_0_1_finder', 'MAPPING: dict[str, str] = {"hulls": f"{here}/code"}'],
  ['an older setuptools', '__editable___hulls_0_1_finder', 'MAPPING = {"hulls": f"{here}/code"}'],
  [
    'hatchling and pdm',
    '_editable_impl_hulls',
    'from editables.redirector import RedirectingFinder as F\nF.map_module("hulls", f"{here}/code/__init__.py")',
  ],
];
/** Writes a finder into the environment of a build, with the path of the project in it. */
const leaving = (finder: string, text: string) =>
  `python -c 'import os, site; here = os.getcwd(); place = site.getsitepackages()[0]
open(place + "/${finder}.py", "w").write(${JSON.stringify(text)}.replace("f\\"{here}", "\\"" + here))
open(place + "/hulls.pth", "w").write("import ${finder}")'`;

test.each(finders)('when %s links modules by a finder, then they are found', async (_name, finder, text) => {
  const files = { ...plain, 'code/__init__.py': 'SHAPE = "deep"' };
  const { path } = await buildProject(files, { build_command: leaving(finder, text) });
  expect(await runIn(path, 'import hulls; print(hulls.SHAPE)')).toBe('deep');
});

test('when a finder is none that is understood, then the build is refused in words', async () => {
  const command = leaving('_editable_impl_hulls', 'PLACES = [f"{here}/code"]');
  await expect(buildProject(plain, { build_command: command })).rejects.toThrow(
    /_editable_impl_hulls\.py links to modules of the project in a way that cannot be moved/,
  );
});

test('when a locked package has an index of its own, then it comes from there alone', async () => {
  await using own = await PythonIndex.open();
  own.publish('masts');
  const files: Record<string, string> = {
    'langgraph.json': config({ dependencies: ['.'] }),
    'agent.py': '',
    'src/boats.py': 'WOOD = "oak"',
    'pyproject.toml': `${pyproject('boats', 'dependencies = ["harbour", "masts"]')}[tool.uv.sources]\nmasts = { index = "own" }\n[[tool.uv.index]]\nname = "own"\nurl = "${own.url}"\nexplicit = true\n`,
  };
  const place = join(folder(), 'locked');
  await mkdir(place);
  await writeFile(join(place, 'pyproject.toml'), files['pyproject.toml'] ?? '');
  const env = { ...operator(), UV_CACHE_DIR: join(folder(), 'c') };
  await promisify(execFile)(uv, ['lock'], { cwd: place, env });
  files['uv.lock'] = await readFile(join(place, 'uv.lock'), 'utf8');
  const { path } = await buildProject(files);
  // It has no build, so that its own modules are in its folders alone.
  expect(await runIn(path, 'import agent, boats, harbour, tides, masts; print(boats.WOOD)')).toBe('oak');
});

test('when an included list names a folder of packages, then the installation finds it too', async () => {
  const wheel = makeWheel('masts');
  const { path } = await buildProject(
    {
      ...plain,
      'langgraph.json': config({ dependencies: ['./app'] }),
      'app/requirements.txt': '-r more/masts.txt\nharbour\n',
      'app/more/masts.txt': '--find-links ./wheels  # beside it\nmasts==1.0\n',
      'app/more/wheels/index.html': '<!doctype html>',
      [`app/more/wheels/${wheel.file}`]: wheel.bytes,
    },
    {},
  );
  expect(await runIn(path, 'import harbour, masts; print(masts.VERSION)')).toBe('1.0');
});
