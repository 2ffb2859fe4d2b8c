import { existsSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { Problem } from '@roadstead/kit';
import type { InstalledPackage } from './placement-rules.ts';

const Names = z.record(z.string(), z.string()).optional();
const Manifest = z.object({ dependencies: Names, optionalDependencies: Names, peerDependencies: Names });

/** What the base image has in its place. */
const OF_BASE = ['node'];

/**
 * A package and all that it needs, as they are installed here, by their real folders. Packages for other platforms and peers may be absent.
 * @throws Problem where another one is
 */
export async function readInstalled(folder: string): Promise<ReadonlyMap<string, InstalledPackage>> {
  const found = new Map<string, InstalledPackage>();
  const waiting = [await realpath(folder)];
  for (let own = waiting.shift(); own !== undefined; own = waiting.shift()) {
    if (found.has(own)) continue;
    const finds = await findsOf(own);
    found.set(own, { folder: own, finds });
    waiting.push(...Object.values(finds));
  }
  return found;
}

async function findsOf(own: string): Promise<Record<string, string>> {
  const text = await readFile(join(own, 'package.json'), 'utf8');
  const {
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
  } = Manifest.parse(JSON.parse(text));
  const names = new Set(
    [dependencies, optionalDependencies, peerDependencies].flatMap((all) => Object.keys(all)),
  );
  const finds: Record<string, string> = {};
  for (const name of [...names].filter((one) => !OF_BASE.includes(one)).toSorted()) {
    const place = placeOf(own, name);
    if (place !== undefined) finds[name] = await realpath(place);
    else if (name in dependencies && !(name in optionalDependencies))
      throw new Problem(
        'invalid',
        `The package ${name}, which Roadstead needs, is not installed beside it.`,
        {
          hint: 'Install Roadstead again.',
        },
      );
  }
  return finds;
}

/** The folder in which Node finds a package from another one. */
function placeOf(from: string, name: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    const place = join(at, 'node_modules', name);
    if (existsSync(join(place, 'package.json'))) return place;
    if (at === dirname(at)) return undefined;
  }
}
