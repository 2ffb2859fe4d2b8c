import { type FindingDetails, fine, warning } from './finding.ts';

/** The findings of a doctor about Python. Pure. */

/** The uv of this machine, where it is there yet, and the Pythons that it finds, unless that takes too long. */
export type PythonOfMachine =
  | { readonly kind: 'found'; readonly uv: string; readonly versions: readonly string[] | undefined }
  | { readonly kind: 'absent' };

/** The files of a project that may say what its Python needs. */
export interface PythonFiles {
  readonly files: readonly string[];
  /** Whether each line of its `requirements.txt` names an exact version; null where there is none. */
  readonly is_pinned: boolean | null;
}

export function pythonOfMachine(machine: PythonOfMachine): FindingDetails {
  if (machine.kind === 'absent')
    return fine('There is no uv yet; the first build of a Python project brings it');
  const { uv, versions } = machine;
  if (versions === undefined) return fine(`uv is ${uv}`);
  return fine(
    versions.length === 0
      ? `uv is ${uv}, and brings the Python that a project needs`
      : `uv is ${uv}, and finds Python ${versions.join(', ')}`,
  );
}

export function ofPython(
  { files, is_pinned }: PythonFiles,
  { wanted, machine }: { readonly wanted: string | undefined; readonly machine: PythonOfMachine },
): FindingDetails[] {
  return [
    files.length === 0
      ? warning(
          'Nothing says which packages of Python the project needs, so LangGraph alone is installed.',
          'Name them in pyproject.toml or requirements.txt, in a folder that "dependencies" names.',
        )
      : fine(`The packages of Python are named in ${files.join(', ')}`),
    ...(files.length > 0 && !files.some((file) => file.endsWith('uv.lock')) && is_pinned !== true
      ? [
          warning(
            'Neither a uv.lock nor a requirements.txt names the exact version of each package of Python, so each build may install others.',
            'Commit the uv.lock that `uv lock` writes.',
          ),
        ]
      : []),
    ...ofVersion(wanted, machine),
  ];
}

function ofVersion(wanted: string | undefined, machine: PythonOfMachine): FindingDetails[] {
  if (wanted === undefined || machine.kind === 'absent' || machine.versions === undefined) return [];
  const is_there = machine.versions.some((version) => version.startsWith(`${wanted}.`));
  return is_there
    ? [fine(`Python ${wanted}, which the project names, is here`)]
    : [
        warning(
          `Python ${wanted}, which the project names, is not on this machine: a build lets uv bring it.`,
          `Install it, or change python_version, where uv can't reach what it brings.`,
        ),
      ];
}

/** Whether each requirement of a text names one exact version, or the hash of an archive. */
export function isPinned(requirements: string): boolean {
  const lines = requirements
    .replaceAll('\\\n', ' ')
    .split(/\r?\n/)
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
  return (
    lines.length > 0 &&
    lines.every((line) => line.startsWith('--') || /^[^;=]+==[^=*;]+(;|$)|--hash=/.test(line))
  );
}
