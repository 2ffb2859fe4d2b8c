import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { quickenEnvironment } from './quick-environment.ts';

const { env, loadEnvFile } = process;
beforeEach(quickenEnvironment);
afterEach(() => Object.assign(process, { env, loadEnvFile }));

test('when a variable is written, then it becomes text; removed, it is gone', () => {
  expect(process.env).not.toBe(env);
  expect({ ...process.env }).toEqual({ ...env });
  Object.assign(process.env, { QUICK_NUMBER: 1, QUICK_NOTHING: undefined });
  expect(process.env['QUICK_NUMBER']).toBe('1');
  expect(process.env['QUICK_NOTHING']).toBe('undefined');
  expect('QUICK_NUMBER' in process.env && Object.keys(process.env).includes('QUICK_NUMBER')).toBe(true);
  Object.defineProperty(process.env, 'QUICK_DEFINED', {
    value: 'x',
    configurable: true,
    enumerable: true,
    writable: true,
  });
  expect(process.env['QUICK_DEFINED']).toBe('x');
  for (const name of ['QUICK_NUMBER', 'QUICK_NOTHING', 'QUICK_DEFINED']) {
    expect(env[name]).toBe(process.env[name]);
    delete process.env[name];
    expect([process.env[name], env[name], name in process.env]).toEqual([undefined, undefined, false]);
  }
});

test('when an object is made of the environment, then it writes to itself', () => {
  const made = Object.create(process.env) as NodeJS.ProcessEnv;
  made['QUICK_OWN'] = 'own';
  expect([made['QUICK_OWN'], Object.keys(made), made['PATH']]).toEqual(['own', ['QUICK_OWN'], env['PATH']]);
  expect([process.env['QUICK_OWN'], env['QUICK_OWN']]).toEqual([undefined, undefined]);
});

test('when the process itself refuses something, then it is refused', () => {
  expect(() => Reflect.set(process.env, Symbol('x'), 'y')).toThrow(TypeError);
  expect(() => Object.defineProperty(process.env, 'QUICK_GETTER', { get: () => 'x' })).toThrow(TypeError);
  expect('QUICK_GETTER' in process.env).toBe(false);
  expect(() => Object.freeze(process.env)).toThrow(TypeError);
});

test('when a variable is written, then children, threads and the clock go by it', async () => {
  process.env['QUICK_CHILD'] = 'told';
  const said = spawnSync(process.execPath, ['-p', 'process.env.QUICK_CHILD'], { encoding: 'utf8' });
  expect(said.stdout.trim()).toBe('told');
  const worker = new Worker('require("worker_threads").parentPort.postMessage(process.env.QUICK_CHILD)', {
    eval: true,
  });
  expect(await once(worker, 'message')).toEqual(['told']);
  const given = new Worker('require("worker_threads").parentPort.postMessage(process.env.QUICK_CHILD)', {
    eval: true,
    env: process.env,
  });
  expect(await once(given, 'message')).toEqual(['told']);
  delete process.env['QUICK_CHILD'];
  const before = process.env['TZ'];
  const hours = ['Asia/Tokyo', 'UTC'].map((zone) => {
    process.env['TZ'] = zone;
    return new Date(0).getHours();
  });
  expect(hours).toEqual([9, 0]);
  if (before === undefined) delete process.env['TZ'];
  else process.env['TZ'] = before;
});

test('when a file of variables is loaded, then it is read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'roadstead-env-'));
  const file = join(folder, '.env');
  await writeFile(file, 'QUICK_FILE=from the file\n');
  process.loadEnvFile(file);
  expect(process.env['QUICK_FILE']).toBe('from the file');
  delete process.env['QUICK_FILE'];
  await rm(folder, { recursive: true });
});
