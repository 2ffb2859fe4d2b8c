import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readBakedConfig, readLangGraphJson } from '@roadstead/contracts/langgraph-json';
import { UV_VERSION } from '@roadstead/uv';
import { useFolderPerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { planProjectImage, type ProjectImageOptions } from './plan-project-image.ts';

const folder = useFolderPerTest('project-image-');

type Files = Readonly<Record<string, string>>;

async function planned(config: object, files: Files = {}, options: Partial<ProjectImageOptions> = {}) {
  const config_path = options.config_path ?? 'langgraph.json';
  const all = { [config_path]: JSON.stringify(config), ...files };
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(folder(), path)), { recursive: true });
    await writeFile(join(folder(), path), text);
  }
  return await planProjectImage({ folder: folder(), name: 'boats', config_path, ...options });
}

/** The lines of the Dockerfile, but for empty ones. */
async function linesOf(...given: Parameters<typeof planned>): Promise<string[]> {
  const plan = await planned(...given);
  return plan.kind === 'refused' ? [plan.message] : plan.text.split('\n').filter((line) => line !== '');
}

const js = { graphs: { agent: './src/graph.js:graph' } };
const py = { graphs: { agent: './agent/graph.py:graph' } };
const PIP = 'pip install --no-cache-dir --break-system-packages --root-user-action=ignore';
const UV = 'uv pip install --system --break-system-packages --no-cache';

test('when a project is in JavaScript, then its packages are installed by its lock', async () => {
  expect(await linesOf(js, { 'package.json': '{}', 'package-lock.json': '{}' })).toEqual([
    'FROM node:24-bookworm-slim',
    'COPY . /deps/boats/',
    'WORKDIR /deps/boats',
    'RUN npm ci --no-audit --no-fund',
    `ENV LANGSERVE_GRAPHS='{"agent":"./src/graph.js:graph"}'`,
    'WORKDIR /deps/boats',
  ]);
});

test('when a repository has its lock above, then it is installed there, by its own manager', async () => {
  const lines = await linesOf(
    js,
    {
      'package.json': '{"workspaces": ["apps/*"], "packageManager": "pnpm@10.1.0"}',
      'pnpm-workspace.yaml': 'packages: ["apps/*"]\n',
      'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
      'apps/one/package.json': '{}',
    },
    { config_path: 'apps/one/langgraph.json', build_command: 'npm run build' },
  );
  expect(lines.slice(2)).toEqual([
    'RUN npm install --global --no-audit --no-fund pnpm@10.1.0',
    'WORKDIR /deps/boats',
    expect.stringMatching(/^RUN (?:\w+=\S+ )+pnpm install --frozen-lockfile$/),
    'WORKDIR /deps/boats/apps/one',
    expect.stringMatching(/npm run build$/),
    expect.stringMatching(/^ENV LANGSERVE_GRAPHS=/),
    'WORKDIR /deps/boats/apps/one',
  ]);
});

test.each<[string, object, Files, readonly string[]]>([
  [
    'a list',
    { dependencies: ['.', 'httpx>=0.27'] },
    { 'requirements.txt': 'langgraph\n' },
    [`RUN ${PIP} uv==${UV_VERSION}`, `RUN ${UV} -r requirements.txt 'httpx>=0.27' langgraph`],
  ],
  [
    'a package, by pip',
    { dependencies: ['.'], pip_installer: 'pip' },
    { 'pyproject.toml': '[project]\nname = "boats"\n[build-system]\nrequires = ["hatchling"]\n' },
    [`RUN ${PIP} -e . langgraph`],
  ],
  [
    'a list, with a pip.conf',
    { dependencies: ['./lib'], pip_config_file: './pip.conf' },
    { 'lib/requirements.txt': 'httpx\n', 'pip.conf': '[global]\n' },
    [`RUN PIP_CONFIG_FILE=/deps/boats/pip.conf ${PIP} -r lib/requirements.txt langgraph`],
  ],
  [
    'a lock of uv',
    { dependencies: ['.'] },
    {
      'pyproject.toml': '[project]\nname = "boats"\n',
      'uv.lock': 'version = 1\nrequires-python = ">=3.11"\n',
    },
    [
      `RUN ${PIP} uv==${UV_VERSION}`,
      expect.stringMatching(
        /^RUN cd \. && uv export --frozen .*--package boats .*--no-deps -r \/tmp\/locked\.txt/,
      ),
    ],
  ],
])('when a project in Python has %s, then that is installed', async (_case, config, files, installs) => {
  const lines = await linesOf({ ...py, ...config }, { ...files, 'agent/graph.py': '' });
  expect(lines[0]).toBe('FROM python:3.11-slim-bookworm');
  expect(lines.slice(3, 3 + installs.length)).toEqual(installs);
  expect(lines.at(-3)).toMatch(/^ENV PYTHONPATH=\/deps\/boats/);
});

test('when folders have spaces and signs in their names, then each is one word', async () => {
  const lines = await linesOf(
    { graphs: { agent: './a graph.py:graph' }, dependencies: ['.', './my lib', './say "$HOME"'] },
    {
      'the agents/requirements.txt': 'langgraph\n',
      'the agents/my lib/requirements.txt': 'httpx\n',
      'the agents/say "$HOME"/requirements.txt': 'httpx\n',
    },
    { config_path: 'the agents/langgraph.json' },
  );
  const root = '/deps/boats/the agents';
  expect(lines).toContain(`ENV PYTHONPATH="${root}:${root}/my lib:${root}/say ${String.raw`\"\$HOME\"`}"`);
  expect(lines.at(-1)).toBe(`WORKDIR "${root}"`);
});

test('when a folder can’t be named in a Dockerfile, or by Python, then it is refused', async () => {
  const [colon] = await linesOf({ ...py, dependencies: ['./a:b'] }, { 'a:b/requirements.txt': '' });
  expect(colon).toMatch(/a:b has a colon/);
  const [ended] = await linesOf(py, {}, { config_path: 'a\nRUN true/langgraph.json' });
  expect(ended).toMatch(/must be one line/);
});

test('when both languages are there, then Node is put beside Python', async () => {
  const graphs = { one: './one.py:graph', two: './two.ts:graph' };
  const lines = await linesOf(
    { graphs, python_version: '3.13', dockerfile_lines: ['RUN apt-get update', 'ENV A=1'] },
    { 'package.json': '{}', 'requirements.txt': 'langgraph\n' },
  );
  expect(lines.slice(0, 6)).toEqual([
    'FROM node:24-bookworm-slim AS node',
    'FROM python:3.13-slim-bookworm',
    'RUN apt-get update',
    'ENV A=1',
    'COPY --from=node /usr/local/bin/node /usr/local/bin/node',
    'COPY --from=node /usr/local/lib/node_modules /usr/local/lib/node_modules',
  ]);
  expect(lines.filter((line) => /RUN .*(?:npm install|uv pip)/.test(line))).toHaveLength(2);
});

test.each<[object, string | undefined, string]>([
  [{ base_image: 'registry.test:5000/base:2' }, undefined, 'registry.test:5000/base:2'],
  [{ base_image: 'registry.test:5000/base' }, undefined, 'registry.test:5000/base:3.12'],
  [
    { base_image: 'langchain/langgraph-api', image_distro: 'wolfi' },
    undefined,
    'langchain/langgraph-api:3.12-wolfi',
  ],
  [{ base_image: 'langchain/langgraph-server:0.2' }, undefined, 'langchain/langgraph-server:0.2-py3.12'],
  [{ base_image: 'a:1' }, 'b@sha256:ab', 'b@sha256:ab'],
  [{ image_distro: 'bookworm' }, undefined, 'python:3.12-slim-bookworm'],
])('when %j is asked for, then the base follows: %s, %s', async (config, base_image, base) => {
  const [from] = await linesOf({ ...py, python_version: '3.12', ...config }, {}, { base_image });
  expect(from).toBe(`FROM ${base}`);
});

test.each<[object, RegExp]>([
  [{ base_image: 'python:3.12\nRUN true' }, /^base_image must be one line/],
  [{ pip_config_file: 'pip.conf\nRUN true' }, /^pip_config_file must be one line/],
  [{ image_distro: 'wolfi' }, /image_distro: there is no base/],
  [{ image_distro: 'alpine' }, /langgraph\.json: image_distro: must be debian, bookworm or wolfi\./],
  [{ dockerfile_lines: 'RUN x' }, /dockerfile_lines: must be a list of texts/],
  [{ graphs: {} }, /names no graphs/],
])('when %j can’t become an image, then it is refused by name', async (config, sentence) => {
  expect((await linesOf({ ...py, ...config }))[0]).toMatch(sentence);
});

test('when an image is read back, then it says what the file does, and holds no variable of env', async () => {
  const config = {
    graphs: { agent: { path: './agent/graph.py:graph', description: 'It’s o\'clock: $HOME \\ "now"' } },
    env: { TOKEN: 'canary' },
    store: { index: { dims: 3, embed: './agent/embed.py:embed' } },
    auth: { path: './agent/auth.py:auth' },
    http: { app: './agent/web.py:app', mount_prefix: 'api/' },
    checkpointer: { ttl: { default_ttl: 60 } },
    webhooks: { headers: { a: 'b' } },
  };
  const plan = await planned(config);
  const text = plan.kind === 'refused' ? '' : plan.text;
  expect(text).not.toContain('canary');
  // In single quotes a Dockerfile leaves everything as it is.
  const environment = Object.fromEntries(
    [...text.matchAll(/^ENV (\w+)='([^']*)'$/gm)].map(([, name, value]) => [name ?? '', value ?? '']),
  );
  const baked = readBakedConfig({ environment, labels: {} });
  const read = readLangGraphJson(JSON.stringify(config), 'langgraph.json');
  const said = (one: typeof read | undefined) =>
    one?.kind === 'config' ? { ...one.config, env: undefined, warnings: [] } : one;
  expect(said(baked)).toEqual(said(read));
});
