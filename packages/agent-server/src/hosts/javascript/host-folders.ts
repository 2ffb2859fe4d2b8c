import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** All folders from which Node loads a module of ours: its package, its packages of ours, and every `node_modules` above it. */
export function foldersOfModule(file: string): string[] {
  const ours = createRequire(file).resolve('@roadstead/contracts/host-peer');
  const packages = [file, ours].map((one) => packageOf(realpathSync(one)));
  const modules = foldersAbove(realpathSync(file)).map((folder) => join(folder, 'node_modules'));
  return [...packages, ...modules.filter((folder) => existsSync(folder))];
}

function packageOf(file: string): string {
  const folder = foldersAbove(file).find((one) => existsSync(join(one, 'package.json')));
  if (folder === undefined) throw new Error(`No package holds ${file}.`);
  return folder;
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...foldersAbove(folder)];
}
