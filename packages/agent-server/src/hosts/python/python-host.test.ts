import { expect, test } from 'vitest';
import { defaultSettings } from '@roadstead/contracts/langgraph-json';
import { pythonHost } from './python-host.ts';

const revision = {
  folder: '/artifact',
  project: { ...defaultSettings, config_path: 'langgraph.json', graphs: {} },
  environment: {},
};
const python = {
  interpreter: '/python/bin/python3',
  module_folders: ['/artifact/src', '/artifact/.roadstead/python/packages'],
  programs: '/artifact/.roadstead/python/bin',
  reads: ['/python'],
};

test('when a host of Python is started, then isolated, with the folders of its revision', () => {
  const { command, variables, reads } = pythonHost({ ...revision, python });
  const [interpreter, ...flags] = command({ memory_mb: 512, cpus: undefined });
  expect(interpreter).toBe(python.interpreter);
  expect(flags).toEqual(expect.arrayContaining(['-I', '-S', '-B', '-u']));
  expect(flags.at(-1)).toMatch(/roadstead_host\/__main__\.py$/);
  expect(reads.some((folder) => flags.at(-1)?.startsWith(`${folder}/`))).toBe(true);
  expect(reads).toContain('/python');
  expect(JSON.parse(variables['ROADSTEAD_MODULE_FOLDERS'] ?? '')).toEqual(python.module_folders);
  expect(variables['ROADSTEAD_PROGRAM_FOLDER']).toBe(python.programs);
  expect(variables['PATH']?.split(':').slice(0, 2)).toEqual([python.programs, '/python/bin']);
});

test('when a revision was built without Python, then its host is refused in words', () => {
  expect(() => pythonHost(revision)).toThrow('This revision was built without Python');
});
