import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useFolderPerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { releaseLock, sweep, takeLock } from './build-lock.mjs';

const folder = useFolderPerTest('roadstead-lock-');
const lock = () => join(folder(), 'building', 'lock');
const take = () => takeLock(join(folder(), 'building'));

/** The number of a process that has ended. */
const deadPid = () => spawnSync(process.execPath, ['--version']).pid;

function heldBy(pid: number): void {
  mkdirSync(join(folder(), 'building'));
  writeFileSync(lock(), String(pid));
}

test('when one has the lock, then another waits until it is given back', () => {
  expect([take(), take()]).toEqual([true, false]);
  expect(readFileSync(lock(), 'utf8')).toBe(String(process.pid));
  releaseLock(join(folder(), 'building'));
  expect(take()).toBe(true);
  expect(readdirSync(join(folder(), 'building'))).toEqual(['lock']);
});

test('when the process that has the lock is dead, then the next one takes it at once', () => {
  heldBy(deadPid());
  expect([take(), take()]).toEqual([false, true]);
});

test('when the lock is older than any build, then its number belongs to another process', () => {
  heldBy(process.ppid);
  expect([take(), take()]).toEqual([false, false]);
  utimesSync(lock(), new Date(0), new Date(0));
  expect([take(), take()]).toEqual([false, true]);
});

test('when another process has the lock by now, then it is not given back for it', () => {
  heldBy(process.ppid);
  releaseLock(join(folder(), 'building'));
  expect(readFileSync(lock(), 'utf8')).toBe(String(process.ppid));
});

test('when the folder cannot be written, then that is said and nobody waits', () => {
  writeFileSync(join(folder(), 'file'), '');
  expect(() => takeLock(join(folder(), 'file'))).toThrow(/EEXIST|ENOTDIR/);
});

test('when processes have died over a build, then what they left is removed, and nothing else', () => {
  const dead = deadPid();
  const names = ['dist', `dist.${dead}`, `dist.${dead}.old`, `dist.${process.pid}`, 'src'];
  for (const name of names) mkdirSync(join(folder(), name));
  sweep(folder());
  expect(readdirSync(folder()).toSorted()).toEqual(['dist', `dist.${process.pid}`, 'src']);
});
