import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readLangGraphJson } from '@roadstead/contracts/langgraph-json';
import type { RevisionSpec } from '../../packages/agent-server/src/agent-server-options.ts';
import { testPython } from './python.ts';

const FACTS =
  'import json, sys, sysconfig; print(json.dumps([sys.prefix, sys.base_prefix, sysconfig.get_path("purelib"), sysconfig.get_path("scripts")]))';

/** A revision of a project in Python, as if it had been built with the packages of the tests. */
export function pythonRevision(folder: string): RevisionSpec {
  const read = readLangGraphJson(readFileSync(join(folder, 'langgraph.json'), 'utf8'), 'langgraph.json');
  if (read.kind === 'refused') throw new Error(read.message);
  const interpreter = testPython ?? '';
  const [prefix = '', base = '', packages = '', programs = ''] = JSON.parse(
    execFileSync(interpreter, ['-c', FACTS], { encoding: 'utf8' }),
  ) as string[];
  return {
    revision_id: crypto.randomUUID(),
    folder,
    project: read.config,
    environment: {},
    python: { interpreter, module_folders: [packages], programs, reads: [prefix, base] },
  };
}
