import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Problem } from '@roadstead/kit';
import type { HostedRevision, HostKind } from '../host-kind.ts';

/** The folder that Python is told to run: its `__main__.py` starts the host. */
const hostFolder = dirname(
  dirname(createRequire(import.meta.url).resolve('@roadstead/graph-host-python/main')),
);

/**
 * Hosts of Python. The interpreter is isolated: nothing of this machine beside its standard library is imported, no variable
 * of the deployment changes how it starts, and it writes no bytecode beside what it reads.
 */
export function pythonHost({ python }: HostedRevision): HostKind {
  if (python === undefined)
    throw new Problem('invalid', 'This revision was built without Python, which its graphs need.', {
      hint: 'Deploy it again.',
    });
  return {
    command: () => [python.interpreter, '-I', '-S', '-B', '-u', '-X', 'utf8', hostFolder],
    variables: {
      PATH: `${python.programs}:${dirname(python.interpreter)}:/usr/local/bin:/usr/bin:/bin`,
      ROADSTEAD_MODULE_FOLDERS: JSON.stringify(python.module_folders),
    },
    reads: [hostFolder, ...python.reads],
    // An allocation that fails is an exception in the graph; beyond its limit the fence ends the process.
    memory_full: { says: () => false, ends: () => false },
  };
}
