import { describe, expect, test } from 'vitest';
import { type BuildFacts, planBuild } from './build-plan.ts';

const good = JSON.stringify({ graphs: { agent: './agent.js:graph' } });

function facts(change: Partial<BuildFacts> = {}): BuildFacts {
  return {
    config_text: good,
    config_path: 'langgraph.json',
    root_files: ['package.json'],
    config_files: [],
    install_command: null,
    build_command: null,
    ...change,
  };
}

function commands(change: Partial<BuildFacts>) {
  const plan = planBuild(facts(change));
  return plan.kind === 'steps'
    ? plan.steps.map(({ phase, command, folder }) => [phase, command, folder])
    : plan;
}

describe('the install command', () => {
  test.each([
    [['package.json', 'yarn.lock'], 'yarn install --frozen-lockfile'],
    [['package.json', 'pnpm-lock.yaml'], 'pnpm install --frozen-lockfile'],
    [['package.json', 'package-lock.json'], 'npm ci --no-audit --no-fund'],
    [['package.json', 'bun.lockb'], 'bun install'],
    [['package.json', 'bun.lock'], 'bun install'],
    [['package.json', 'package-lock.json', 'yarn.lock'], 'yarn install --frozen-lockfile'],
    [['package.json'], 'npm install --no-audit --no-fund --no-package-lock'],
  ])('of %j is %s', (root_files, command) => {
    expect(commands({ root_files })).toEqual([['install', command, '.']]);
  });

  test('is the given one, in the root', () => {
    expect(commands({ install_command: 'make deps', config_path: 'app/langgraph.json' })).toEqual([
      ['install', 'make deps', '.'],
    ]);
  });

  test('runs beside the configuration when only there is something to install', () => {
    expect(
      commands({ root_files: ['app'], config_files: ['package.json'], config_path: 'app/langgraph.json' }),
    ).toEqual([['install', 'npm install --no-audit --no-fund --no-package-lock', 'app']]);
  });

  test('is none without a package file', () => {
    expect(commands({ root_files: ['agent.js'] })).toEqual([]);
  });
});

test('the build command runs beside the configuration, after the install', () => {
  expect(commands({ build_command: 'npm run build', config_path: 'apps/one/langgraph.json' })).toEqual([
    ['install', 'npm install --no-audit --no-fund --no-package-lock', '.'],
    ['build', 'npm run build', 'apps/one'],
  ]);
});

describe('a configuration is refused in words', () => {
  test.each([
    ['missing', undefined, /no langgraph\.json/],
    ['not JSON', '{', /not JSON/],
    ['a list', '[]', /graph configuration/],
    ['without graphs', '{}', /graphs/],
    ['with no graph', '{"graphs":{}}', /names no graphs/],
    ['with a number as graph', '{"graphs":{"a":1}}', /graphs\.a/],
    ['of Python', '{"graphs":{"a":"./a.py:graph"}}', /Python/],
    ['of a Python module', '{"graphs":{"a":"pkg.mod:graph"}}', /Python/],
    ['with a graph outside', '{"graphs":{"a":"../a.js:graph"}}', /inside the project/],
    ['with an absolute graph', '{"graphs":{"a":"/etc/a.js:graph"}}', /inside the project/],
    ['with an env file outside', '{"graphs":{"a":"./a.js:g"},"env":"../../.env"}', /env/],
    ['with a version that is none', '{"graphs":{"a":"./a.js:g"},"node_version":"lts"}', /node_version/],
    ['with an old version', '{"graphs":{"a":"./a.js:g"},"node_version":"18"}', /node_version/],
    ['with wrong dependencies', '{"graphs":{"a":"./a.js:g"},"dependencies":"."}', /dependencies/],
    ['with a wrong switch', '{"graphs":{"a":"./a.js:g"},"http":{"disable_a2a":"yes"}}', /http\.disable_a2a/],
  ])('%s', (_name, config_text, message) => {
    const plan = planBuild(facts({ config_text }));
    expect(plan.kind).toBe('refused');
    expect(plan.kind === 'refused' && plan.message).toMatch(message);
  });

  test('its own path leaves the project', () => {
    expect(planBuild(facts({ config_path: '../langgraph.json' })).kind).toBe('refused');
  });
});

test('rules of access that are not built are refused', () => {
  const config_text = JSON.stringify({ graphs: { a: './a.ts' }, auth: { path: './auth.ts:auth' } });
  const plan = planBuild(facts({ config_text }));
  expect(plan.kind === 'refused' && plan.message).toMatch(/auth is not built yet/);
});

test('unknown keys and another Node are warned of, and an env file above the configuration is fine', () => {
  const config_text = JSON.stringify({
    graphs: { a: { path: '../lib/a.ts', description: 'one' } },
    env: '../.env',
    node_version: 20,
    grahps: {},
    store: { index: {} },
    http: { disable_a2a: false, app: './app.ts:app' },
  });
  const plan = planBuild(facts({ config_text, config_path: 'app/langgraph.json' }));
  expect(plan.kind === 'steps' && plan.warnings).toEqual([
    expect.stringContaining('"grahps"'),
    expect.stringContaining('"store" is not built'),
    expect.stringContaining('"http.app" is not built'),
    expect.stringContaining('node_version 20'),
  ]);
});
