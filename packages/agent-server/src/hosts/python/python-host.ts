import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Problem } from '@roadstead/kit';
import type { HostedRevision, HostKind } from '../host-kind.ts';

/** The graph host is only started. */
const hostMain = createRequire(import.meta.url).resolve('@roadstead/graph-host-python/main');

/** Unbuffered, as what it prints are lines of a log; the host and its modules are read-only. */
const FLAGS = ['-B', '-u', '-X', 'utf8'];

export function pythonHost({ python, image }: HostedRevision): HostKind {
  return image === undefined ? builtPython(python) : pythonOfImage;
}

/**
 * Hosts of a revision that was built here. The interpreter is isolated: nothing of this machine beside its standard library is imported, no variable
 * of the deployment changes how it starts, and it writes no bytecode beside what it reads.
 */
function builtPython(python: HostedRevision['python']): HostKind {
  if (python === undefined)
    throw new Problem('invalid', 'This revision was built without Python, which its graphs need.', {
      hint: 'Deploy it again.',
    });
  compileFor(python.interpreter);
  return {
    command: () => [python.interpreter, '-I', '-S', ...FLAGS, hostMain],
    variables: {
      PATH: `${python.programs}:${dirname(python.interpreter)}:/usr/local/bin:/usr/bin:/bin`,
      ROADSTEAD_MODULE_FOLDERS: JSON.stringify(python.module_folders),
      ROADSTEAD_PROGRAM_FOLDER: python.programs,
    },
    reads: [dirname(hostMain), ...python.reads],
    memory_full,
  };
}

/** An allocation that fails is an exception in the graph; beyond its limit the fence ends the process. */
const memory_full: HostKind['memory_full'] = { says: () => false, ends: () => false };

/** The Python of an image starts as the image has it: its packages are where its own settings say. */
const pythonOfImage: HostKind = {
  command: () => ['python3', ...FLAGS, hostMain],
  variables: {},
  reads: [dirname(hostMain)],
  memory_full,
};

const compiled = new Set<string>();

/**
 * Compiles the modules of the host, beside them, for an interpreter that has not been used here yet: hosts may write nothing there. They
 * start all the same where it fails, or is not over, a little later each time.
 */
function compileFor(interpreter: string): void {
  if (compiled.has(interpreter)) return;
  compiled.add(interpreter);
  const flags = ['-I', '-S', '-m', 'compileall', '-q', dirname(hostMain)];
  spawn(interpreter, flags, { stdio: 'ignore', env: {} })
    .on('error', () => undefined)
    .unref();
}
